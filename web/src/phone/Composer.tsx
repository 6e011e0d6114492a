import { Button, Menu, Textarea } from "@mantine/core";
import { useRef, useState, type Ref } from "react";
import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import { toast } from "../ui/toasts";
import { useKindOf } from "./Content";
import type { PhoneMessage, Writing } from "./data";
import { LocationForm } from "./LocationForm";
import styles from "./Phone.module.css";
import { documentOf, pictureOf } from "./picture";

interface Props {
  business: string;
  disabled: boolean;
  quoted: PhoneMessage | null;
  unquote: () => void;
  /** Resolves to whether the message was sent. */
  write: (writing: Writing) => Promise<boolean>;
}

export function Composer({ business, disabled, quoted, unquote, write }: Props) {
  const t = useText("phone");
  const [text, setText] = useState("");
  const send = async () => {
    const body = text.trim();
    if (!body || disabled) return;
    setText("");
    if (!(await write({ type: "text", text: body }))) setText((now) => now || body);
  };
  return (
    <div className={styles.composer}>
      {quoted && <Quoting quoted={quoted} business={business} unquote={unquote} />}
      <Textarea
        label={t.message}
        classNames={{ label: "visually-hidden", input: styles.field }}
        placeholder={t.message}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void send();
          }
        }}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={4096}
        disabled={disabled}
      />
      <div className={styles.actions}>
        <Attach disabled={disabled} write={write} />
        <button type="button" className={styles.chip} disabled={disabled} title={t.stopHint} onClick={() => void write({ type: "stop" })}>
          {t.stop}
        </button>
        <Button size="compact-md" className={styles.send} disabled={disabled || !text.trim()} onClick={() => void send()}>
          {t.send}
        </Button>
      </div>
    </div>
  );
}

function Quoting({ quoted, business, unquote }: { quoted: PhoneMessage; business: string; unquote: () => void }) {
  const t = useText("phone");
  const kindOf = useKindOf();
  return (
    <div className={styles.quoting}>
      <blockquote className={styles.quote}>
        <b>{t.quoting(quoted.from === "me" ? t.yourself : business)}</b>
        <span>{quoted.text || kindOf(quoted.type)}</span>
      </blockquote>
      <button type="button" className={styles.tool} aria-label={t.unquote} onClick={unquote}>
        <Icon name="close" size={18} />
      </button>
    </div>
  );
}

function Attach({ disabled, write }: Pick<Props, "disabled" | "write">) {
  const t = useText("phone");
  const picker = useRef<HTMLInputElement>(null);
  const [placing, setPlacing] = useState(false);
  const documents = useRef<HTMLInputElement>(null);
  const sendPicture = (file: File) =>
    pictureOf(file).then((made) => write({ type: "image", file: made }), () => toast(t.tooLarge, { kind: "error" }));
  const sendDocument = (file: File) =>
    documentOf(file).then((made) => write({ type: "document", file: made }), () => toast(t.documentTooLarge, { kind: "error" }));
  return (
    <>
      <Menu position="top-start" withinPortal>
        <Menu.Target>
          <button type="button" className={styles.tool} aria-label={t.attach} disabled={disabled}>
            <Icon name="clip" />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="image" size={18} />} onClick={() => picker.current?.click()}>
            {t.picture}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="file" size={18} />} onClick={() => documents.current?.click()}>
            {t.document}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="mic" size={18} />} onClick={() => void write({ type: "audio" })}>
            {t.voice}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="pin" size={18} />} onClick={() => setPlacing(true)}>
            {t.location}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="reply" size={18} />} onClick={() => void write({ type: "resume" })}>
            {t.start}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Picker ref={picker} label={t.picture} accept="image/*" picked={(file) => void sendPicture(file)} />
      <Picker ref={documents} label={t.document} picked={(file) => void sendDocument(file)} />
      <LocationForm opened={placing} close={() => setPlacing(false)} write={write} />
    </>
  );
}

/** The browser's dialog for a file. */
function Picker({ ref, label, accept, picked }: {
  ref: Ref<HTMLInputElement>;
  label: string;
  accept?: string;
  picked: (file: File) => void;
}) {
  return (
    <input
      ref={ref}
      type="file"
      accept={accept}
      hidden
      aria-label={label}
      onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        event.currentTarget.value = "";
        if (file) picked(file);
      }}
    />
  );
}
