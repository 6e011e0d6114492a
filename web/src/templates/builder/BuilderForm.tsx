import { Select, TextInput } from "@mantine/core";
import { useLanguage } from "../../i18n";
import { Chips } from "../../ui/Chips";
import type { Category } from "../address";
import { languageChoices } from "../languages";
import limits from "../limits.json";
import { useTemplateText } from "../text";
import { AuthFields } from "./AuthFields";
import styles from "./Builder.module.css";
import { ButtonFields } from "./ButtonFields";
import { CardFields } from "./CardFields";
import { FileField } from "./FileField";
import type { Form, HeaderFormat } from "./form";
import { Counter, SampleFields, TextField } from "./TextField";

export interface Parts {
  number: string;
  form: Form;
  /** What of an existing template cannot be changed. */
  fixed: { identity: boolean; category: boolean };
  errorOf: (field: string) => string | undefined;
  change: (next: Partial<Form>) => void;
}

/** All fields of the builder, in the order in which the recipient reads them. */
export function BuilderForm(props: Parts) {
  const { number, form, errorOf, change } = props;
  const t = useTemplateText();
  return (
    <>
      <Identity {...props} />
      {form.category === "AUTHENTICATION" ? (
        <AuthFields auth={form.auth} errorOf={errorOf} change={(next) => change({ auth: { ...form.auth, ...next } })} />
      ) : (
        <>
          {form.category === "MARKETING" && (
            <Chips label={t.kind} value={form.carousel ? "carousel" : "message"} names={t.kinds} choose={(kind) => change({ carousel: kind === "carousel" })} />
          )}
          {!isCarousel(form) && <Header {...props} />}
          <Body {...props} />
          {isCarousel(form) ? <CardFields number={number} form={form} errorOf={errorOf} change={change} /> : <Below {...props} />}
        </>
      )}
      <Delivery {...props} />
    </>
  );
}

const isCarousel = (form: Form) => form.carousel && form.category === "MARKETING";

function Identity({ form, fixed, errorOf, change }: Parts) {
  const t = useTemplateText();
  const reader = useLanguage();
  return (
    <section className={styles.part}>
      <div>
        <TextInput label={t.name} description={t.nameHint} value={form.name} disabled={fixed.identity} error={errorOf("name")} classNames={{ input: "mono" }}
          onChange={(event) => change({ name: event.target.value.toLowerCase().replace(/[\s-]/gu, "_") })} />
        <div className={styles.tools}><Counter text={form.name} most={limits.name} /></div>
      </div>
      <div className={styles.pair}>
        <Select label={t.category} allowDeselect={false} value={form.category} disabled={fixed.category} error={errorOf("category")}
          data={Object.entries(t.categories).map(([value, label]) => ({ value, label }))} onChange={(value) => change({ category: (value ?? "UTILITY") as Category })} />
        <Select label={t.language} allowDeselect={false} searchable value={form.language} disabled={fixed.identity} error={errorOf("language")}
          data={languageChoices(reader, form.language)} onChange={(value) => change({ language: value ?? form.language })} />
        <p className={styles.hint}>{fixed.category ? t.fixedCategory : t.categoryHints[form.category]}</p>
      </div>
      {form.category !== "AUTHENTICATION" && !fixed.identity && (
        <Chips label={t.variables} value={form.named ? "named" : "positional"} names={{ positional: t.positional, named: t.named }} choose={(value) => change({ named: value === "named" })} />
      )}
    </section>
  );
}

function Header({ number, form, errorOf, change }: Parts) {
  const t = useTemplateText();
  const { header: h } = form;
  const set = (next: Partial<Form["header"]>) => change({ header: { ...h, ...next } });
  return (
    <section className={styles.part}>
      <h2>{t.header}</h2>
      <Chips label={t.header} value={h.format} names={t.headerFormats} choose={(format) => set({ format: format as HeaderFormat, file: null })} />
      {errorOf("header.format") && <p className={styles.error} role="alert">{errorOf("header.format")}</p>}
      {h.format === "TEXT" && (
        <>
          <TextField label={t.headerText} short variables={1} value={h.text} most={limits.header} named={form.named} error={errorOf("header.text")} onChange={(text) => set({ text })} />
          <SampleFields text={h.text} samples={h.samples} of={t.header} error={errorOf("header.samples")} onChange={(samples) => set({ samples })} />
        </>
      )}
      {h.format === "LOCATION" && <p className={styles.hint}>{t.locationHint}</p>}
      {(h.format === "IMAGE" || h.format === "VIDEO" || h.format === "DOCUMENT") && (
        <FileField label={t.headerFile} number={number} format={h.format} file={h.file} error={errorOf("header.file")} onChange={(file) => set({ file })} />
      )}
    </section>
  );
}

function Body({ form, errorOf, change }: Parts) {
  const t = useTemplateText();
  const { body } = form;
  return (
    <section className={styles.part}>
      <h2>{t.body}</h2>
      <TextField label={t.bodyText} value={body.text} most={limits.body} named={form.named} error={errorOf("body.text")} onChange={(text) => change({ body: { ...body, text } })} />
      <SampleFields text={body.text} samples={body.samples} error={errorOf("body.samples")} onChange={(samples) => change({ body: { ...body, samples } })} />
    </section>
  );
}

function Below({ form, errorOf, change }: Parts) {
  const t = useTemplateText();
  return (
    <>
      <section className={styles.part}>
        <h2>{t.footer}</h2>
        <div>
          <TextInput aria-label={t.footer} description={t.footerHint} value={form.footer} error={errorOf("footer")} onChange={(event) => change({ footer: event.target.value })} />
          <div className={styles.tools}><Counter text={form.footer} most={limits.footer} /></div>
        </div>
      </section>
      <section className={styles.part}>
        <h2>{t.buttons}</h2>
        <p className={styles.hint}>{t.buttonsHint}</p>
        <ButtonFields buttons={form.buttons} most={limits.buttons} prefix="buttons" errorOf={errorOf} onChange={(buttons) => change({ buttons })} />
      </section>
    </>
  );
}

function Delivery({ form, errorOf, change }: Parts) {
  const t = useTemplateText();
  const [from = 0, to = 0] = limits.ttl[form.category];
  const format = new Intl.NumberFormat(useLanguage());
  return (
    <section className={styles.part}>
      <h2>{t.advanced}</h2>
      <TextInput label={t.ttl} description={t.ttlHint(format.format(from), format.format(to))} inputMode="numeric" value={form.ttl} error={errorOf("message_send_ttl_seconds")}
        onChange={(event) => change({ ttl: event.target.value.replace(/\D/gu, "") })} />
    </section>
  );
}
