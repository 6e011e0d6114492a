import { Fragment } from "react";
import { useDev } from "../text";
import styles from "./console.module.css";

/** A JSON text with the names of its fields apart from the rest. */
function Coloured({ text }: { text: string }) {
  return text.split(/("(?:[^"\\]|\\.)*"(?=:))/).map((part, index) => (index % 2 ? <b key={index}>{part}</b> : <Fragment key={index}>{part}</Fragment>));
}

/** Where it is short it scrolls, so that what comes after it stays in view. */
export function Json({ value, label, short = false }: { value: unknown; label?: string; short?: boolean }) {
  const t = useDev();
  if (value === null || value === undefined) return <p>{t.payloadRemoved}</p>;
  return (
    // A long text is scrolled by keys too, so it takes the focus.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={styles.json} data-short={short || undefined} tabIndex={0} aria-label={label ?? t.body} role="region">
      <Coloured text={JSON.stringify(value, null, 2)} />
    </pre>
  );
}
