import { Button, FileInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { idempotencyKey, send } from "../api/client";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { uploadFile } from "../inbox/data/upload";
import { templatesQuery } from "../inbox/templates/queries";
import { componentsOf, fieldsOf, previewOf, type Field, type Template } from "../inbox/templates/template";
import { Panel } from "../settings/Section";
import { EmptyState } from "../ui/EmptyState";
import { FormError } from "../ui/FormError";
import { useSubmit } from "../ui/useSubmit";
import styles from "./Broadcasts.module.css";
import { pathOf, type Broadcast } from "./data";
import { isMapped, mappedOf, textOf, valuesOf, type Mapped } from "./mapping";
import { PhonePreview } from "./PhonePreview";
import { PlaceField } from "./PlaceField";
import { useBroadcasts } from "./text";
import { Unsaved } from "../ui/Unsaved";
import { NumberSelect } from "../ui/NumberSelect";

type Filled = Record<string, Mapped | File | string>;

const accepts = { image: "image/jpeg,image/png", video: "video/mp4,video/3gpp", document: "application/pdf" };
const keyOf = (t: { name: string; language: string }) => `${t.name} ${t.language}`;

/** Name, number and template, with what stands in its places. */
export function MessageStep({ broadcast: b, done }: { broadcast?: Broadcast; done: (b: Broadcast) => void }) {
  const t = useBroadcasts();
  const me = useMe();
  const [name, setName] = useState(b?.name ?? "");
  const [number, setNumber] = useState(b?.phone_number_id ?? me.numbers[0]?.phone_number_id ?? "");
  const [chosen, setChosen] = useState<string | null>(b ? keyOf(b.template) : null);
  const query = useQuery(templatesQuery(number));
  const template = query.data?.find((x) => keyOf(x) === chosen);
  const [typed, setTyped] = useState<Filled>({});
  const fields = template ? fieldsOf(template) : [];
  const filled: Filled = { ...(template && initial(template, fields, b)), ...typed };
  const submit = useSubmit(["name"], () => save(b, { name, number, template, fields, filled }), done);
  return (
    <div className={styles.two}>
      <Unsaved is={name !== (b?.name ?? "") || chosen !== (b ? keyOf(b.template) : null) || Object.keys(typed).length > 0} />
      <Panel>
        <form {...submit.form}>
          <FormError error={submit.error} />
          <TextInput label={t.name} description={t.nameHint} required maxLength={200} value={name} error={submit.errorOf("name")}
            onChange={(event) => setName(event.target.value)} />
          <NumberSelect label={t.from} disabled={b !== undefined} value={number}
            onChange={(next) => { setNumber(next ?? ""); setChosen(null); setTyped({}); }} />
          {query.data?.length === 0 && <EmptyState icon="template" title={t.noTemplates} />}
          <Select label={t.chooseTemplate} required searchable allowDeselect={false} value={chosen} onChange={(value) => { setChosen(value); setTyped({}); }}
            data={(query.data ?? []).map((x) => ({ value: keyOf(x), label: `${x.name} · ${x.language}` }))} />
          {template && <Places fields={fields} filled={filled} set={(id, value) => setTyped({ ...typed, [id]: value })} />}
          <div className={styles.foot}>
            <Button type="submit" loading={submit.busy} disabled={!name.trim() || !template || !fields.every((f) => isFull(filled[f.id]))}>{t.next}</Button>
          </div>
        </form>
      </Panel>
      <aside className={styles.phone}>
        <Panel title={t.preview}>
          {template ? <PhonePreview label={t.preview} preview={shown(template, fields, filled, t.sources)} /> : <EmptyState icon="template" title={t.notChosen} />}
        </Panel>
      </aside>
    </div>
  );
}

function Places({ fields, filled, set }: { fields: Field[]; filled: Filled; set: (id: string, value: Mapped | File | string) => void }) {
  const t = useBroadcasts();
  const inbox = useText("inbox");
  if (fields.length === 0) return <p className={styles.quiet}>{t.nothingToFill}</p>;
  return (
    <div className={styles.fields} role="group" aria-label={t.fill}>
      {fields.map((field) =>
        field.kind === "text" ? (
          <PlaceField key={field.id} label={inbox.templateField(field.place, field.name, field.card)} value={filled[field.id] as Mapped} set={(m) => set(field.id, m)} />
        ) : (
          <FileInput key={field.id} label={inbox.templateFile(field.kind, field.card)} accept={accepts[field.kind]} placeholder={inbox.attach}
            description={filled[field.id] && typeof filled[field.id] === "string" ? t.keepFile : undefined} onChange={(file) => file && set(field.id, file)} />
        ),
      )}
    </div>
  );
}

const isFull = (value: Filled[string] | undefined) => (typeof value === "object" && !(value instanceof File) ? isMapped(value) : Boolean(value));

/** What a draft has, or what is most likely meant. */
export function initial(template: Template, fields: Field[], b?: Broadcast): Filled {
  const had = b && keyOf(b.template) === keyOf(template) ? valuesOf(template, b.template.components) : {};
  const filled: Filled = {};
  for (const field of fields) {
    const text = had[field.id];
    const person = /name|nama/iu.test(field.name); // a place without a name may be anything
    if (field.kind !== "text") filled[field.id] = text ?? "";
    else filled[field.id] = text === undefined ? { source: person ? "name" : "text", key: "", fallback: "" } : mappedOf(text);
  }
  return filled;
}

/** The message with what it takes from where in its places. */
function shown(template: Template, fields: Field[], filled: Filled, sources: Record<string, string>) {
  const values: Record<string, string | File> = {};
  for (const { id } of fields) {
    const value = filled[id];
    if (value instanceof File || typeof value === "string") values[id] = value;
    else if (value) values[id] = value.source === "text" ? value.key : `[${value.key || sources[value.source]}]`;
  }
  return previewOf(template, values);
}

interface Draft {
  name: string;
  number: string;
  template?: Template;
  fields: Field[];
  filled: Filled;
}

async function save(b: Broadcast | undefined, { name, number, template, fields, filled }: Draft): Promise<Broadcast> {
  if (!template) throw new Error("no template");
  const values: Record<string, string> = {};
  for (const { id } of fields) {
    const value = filled[id];
    if (value instanceof File) values[id] = await uploadFile(number, value, idempotencyKey(), "media", () => undefined);
    else values[id] = typeof value === "object" ? textOf(value) : (value ?? "");
  }
  const body = { name, template: { name: template.name, language: template.language, components: componentsOf(template, values) } };
  return b ? send("PATCH", pathOf(b), body) : send("POST", `/${number}/broadcasts`, body);
}
