import { Select, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { idempotencyKey, send } from "../api/client";
import type { Message } from "../api/types";
import { useLanguage } from "../i18n";
import { Modal } from "../ui/Modal";
import { phoneIn } from "../ui/phone";
import { TemplateForm } from "../inbox/templates/TemplateForm";
import type { Filled } from "../inbox/templates/TemplatePicker";
import { toast, toastError } from "../ui/toasts";
import type { FullTemplate } from "./data";
import { languageName } from "../ui/languageName";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

/** Sends a template to a number, to see it on a phone. */
export function TestDialog({ number, templates, close }: { number: string; templates: FullTemplate[]; close: () => void }) {
  const t = useTemplateText();
  const reader = useLanguage();
  const narrow = useMediaQuery("(max-width: 720px)");
  const [to, setTo] = useState("");
  const [id, setId] = useState(templates[0]?.id ?? null);
  const [key] = useState(idempotencyKey);
  const phone = phoneIn(to);
  const chosen = templates.find((x) => x.id === id);
  const start = ({ template }: Filled) => {
    const body = { messaging_product: "chat", to: phone, type: "template", template };
    send<Message>("POST", `/${number}/messages`, body, { idempotencyKey: key }).then(() => {
      toast(t.tested);
      close();
    }, toastError);
  };
  return (
    <Modal onClose={close} title={t.test} size={560} centered fullScreen={narrow}>
      <div className={styles.test}>
        <TextInput label={t.testTo} description={t.testHint} type="tel" data-autofocus value={to} onChange={(event) => setTo(event.target.value)} />
        {templates.length > 1 && (
          <Select label={t.language} value={id} allowDeselect={false} onChange={setId}
            data={templates.map((x) => ({ value: x.id, label: languageName(x.language, reader) }))} />
        )}
        {chosen && phone && <TemplateForm key={chosen.id} template={chosen} number={number} contact={null} onBack={close} onDone={start} />}
      </div>
    </Modal>
  );
}
