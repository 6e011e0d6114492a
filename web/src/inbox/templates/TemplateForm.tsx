import { Button, FileInput, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { idempotencyKey } from "../../api/client";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { toastError } from "../../ui/toasts";
import { uploadFile } from "../data/upload";
import { TemplateContent } from "../thread/content/TemplateContent";
import type { Filled } from "./TemplatePicker";
import { componentsOf, fieldsOf, isFilled, previewOf, type Field, type Template, type Values } from "./template";
import styles from "./TemplateForm.module.css";

interface Props {
  template: Template;
  number: string;
  contact: string | null;
  onBack: () => void;
  onDone: (filled: Filled) => void | Promise<void>;
}

const accepts = { image: "image/jpeg,image/png", video: "video/mp4,video/3gpp", document: "application/pdf" };

/** The values of a template, and how it will look. */
export function TemplateForm({ template, number, contact, onBack, onDone }: Props) {
  const t = useText("inbox");
  const common = useText("common");
  const fields = fieldsOf(template);
  const [values, setValues] = useState<Values>(() => guess(fields, contact));
  const form = useRef<HTMLFormElement>(null);
  // Whoever has chosen a template fills it in next. On a phone the keyboard would hide what it says.
  useEffect(() => {
    if (matchMedia("(pointer: coarse)").matches) return;
    const inputs = [...(form.current?.querySelectorAll<HTMLElement>("input, button[type=submit]") ?? [])];
    inputs.find((input) => !(input instanceof HTMLInputElement && input.value))?.focus();
  }, []);
  const [busy, setBusy] = useState(false);
  const set = (id: string, value: string | File | null) => setValues((now) => ({ ...now, [id]: value ?? "" }));
  const send = async () => {
    setBusy(true);
    try {
      const stored = await store(values, number);
      const { name, language } = template;
      await onDone({
        template: { name, language, components: componentsOf(template, stored) },
        preview: previewOf(template, values),
      });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <button type="button" className={styles.back} onClick={onBack}>
        <Icon name="left" size={16} /> {common.back}
      </button>
      {fields.map((field) => (
        <FieldInput key={field.id} field={field} value={values[field.id]} change={(value) => set(field.id, value)} />
      ))}
      <div className={styles.preview} aria-label={t.preview} role="img">
        <div className={styles.bubble}>
          <TemplateContent preview={previewOf(template, values)} />
        </div>
      </div>
      <Button type="submit" disabled={!isFilled(fields, values)} loading={busy} className={styles.send}>
        {t.sendTemplate}
      </Button>
    </form>
  );
}

function FieldInput(props: { field: Field; value: string | File | undefined; change: (value: string | File | null) => void }) {
  const t = useText("inbox");
  const { field, value, change } = props;
  if (field.kind === "text") {
    const label = t.templateField(field.place, field.name, field.card);
    return <TextInput label={label} required value={typeof value === "string" ? value : ""} onChange={(event) => change(event.target.value)} />;
  }
  return <FileInput label={t.templateFile(field.kind, field.card)} required accept={accepts[field.kind]} placeholder={t.attach} onChange={change} />;
}

/** The person's name is most often the first value. */
function guess(fields: Field[], contact: string | null): Values {
  const first = contact?.split(" ")[0];
  const field = fields.find((f) => /name|nama/iu.test(f.name) && f.kind === "text");
  return field && first ? { [field.id]: first } : {};
}

/** Stores the files; what they are then called takes their place. */
async function store(values: Values, number: string): Promise<Record<string, string>> {
  const stored: Record<string, string> = {};
  for (const [id, value] of Object.entries(values))
    stored[id] =
      typeof value === "string" ? value.trim() : await uploadFile(number, value, idempotencyKey(), "attachments", () => undefined);
  return stored;
}
