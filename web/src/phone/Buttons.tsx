import { Modal } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n";
import { Icon } from "../ui/icons";
import type { PhoneButton, PhoneMessage, Writing } from "./data";
import styles from "./Phone.module.css";

interface Props {
  message: PhoneMessage;
  active: boolean;
  write: (writing: Writing) => void;
}

/** What can be pressed in a message. */
export function Buttons({ message, active, write }: Props) {
  const rows = message.buttons.filter((button) => button.kind === "row");
  const others = message.buttons.filter((button) => button.kind !== "row");
  if (message.buttons.length === 0) return null;
  const press = (button: PhoneButton) => write({ type: "button", message_id: message.id, button_id: button.id });
  return (
    <div className={styles.buttons}>
      {others.map((button, i) => (
        <Pressable key={i} button={button} active={active} press={() => press(button)} />
      ))}
      {rows.length > 0 && <Rows message={message} rows={rows} active={active} write={write} />}
    </div>
  );
}

function Pressable({ button, active, press }: { button: PhoneButton; active: boolean; press: () => void }) {
  if (button.kind === "url" && /^https?:\/\//.test(button.url)) {
    return (
      <a className={styles.button} href={button.url} target="_blank" rel="noreferrer">
        <Icon name="link" size={16} /> {button.title}
      </a>
    );
  }
  const reply = button.kind === "reply";
  return (
    <button type="button" className={styles.button} disabled={!reply || !active} onClick={press}>
      <Icon name={button.kind === "copy" ? "copy" : button.kind === "phone" ? "phone" : "reply"} size={16} /> {button.title}
    </button>
  );
}

function Rows({ message, rows, active, write }: Props & { rows: PhoneButton[] }) {
  const t = useText("phone");
  const [open, setOpen] = useState(false);
  const label = message.list ?? t.choose;
  const choose = (row: PhoneButton) => {
    setOpen(false);
    write({ type: "list", message_id: message.id, button_id: row.id });
  };
  return (
    <>
      <button type="button" className={styles.button} disabled={!active} onClick={() => setOpen(true)}>
        <Icon name="filter" size={16} /> {label}
      </button>
      <Modal opened={open} onClose={() => setOpen(false)} title={label} centered size="sm">
        <ul className={styles.rows}>
          {rows.map((row, i) => (
            <li key={row.id}>
              {row.section && row.section !== rows[i - 1]?.section && <h3>{row.section}</h3>}
              <button type="button" onClick={() => choose(row)}>
                <b>{row.title}</b>
                {row.description && <small>{row.description}</small>}
              </button>
            </li>
          ))}
        </ul>
      </Modal>
    </>
  );
}
