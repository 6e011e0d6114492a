import { ActionIcon, Button, Textarea, TextInput, Tooltip } from "@mantine/core";
import { useRef, type ReactNode } from "react";
import { useTemplateText } from "../text";
import styles from "./Builder.module.css";
import { nextPlaceholder, placeholdersOf, type Samples } from "./form";

/** How much of what fits has been written; in red what is too much. Characters are counted as the server counts them. */
export function Counter({ text, most }: { text: string; most: number }) {
  const t = useTemplateText();
  const n = [...text].length;
  return (
    <span className={styles.counter} data-over={n > most || undefined}>
      {n > most ? t.over(n - most) : t.count(n, most)}
    </span>
  );
}

const marks = [
  { mark: "*", name: "bold", sign: <b>B</b> },
  { mark: "_", name: "italic", sign: <i>I</i> },
  { mark: "~", name: "strike", sign: <s>S</s> },
  { mark: "```", name: "code", sign: <code>{"<>"}</code> },
] as const;

interface Props {
  label: string;
  value: string;
  most: number;
  named: boolean;
  error?: string;
  description?: string;
  /** One line, without formatting. */
  short?: boolean;
  /** At most this many placeholders. */
  variables?: number;
  onChange: (text: string) => void;
}

/** A text with its counter, buttons for formatting, and one for the next placeholder. */
export function TextField({ label, value, most, named, error, description, short, variables = 99, onChange }: Props) {
  const t = useTemplateText();
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const around = (before: string, after: string) => {
    const { selectionStart: from, selectionEnd: to } = field.current ?? { selectionStart: value.length, selectionEnd: value.length };
    const [start, end] = [from ?? value.length, to ?? value.length];
    onChange(value.slice(0, start) + before + value.slice(start, end) + after + value.slice(end));
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(start + before.length, end + before.length);
    });
  };
  const insert = () => {
    const at = field.current?.selectionEnd ?? value.length;
    const words = nextPlaceholder(value, named);
    onChange(value.slice(0, at) + words + value.slice(at));
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(at + words.length, at + words.length);
    });
  };
  const tools: ReactNode = (
    <div className={styles.tools}>
      {!short && marks.map(({ mark, name, sign }) => (
        <Tooltip key={mark} label={t[name]}>
          <ActionIcon variant="subtle" color="gray" size={28} aria-label={t[name]} onClick={() => around(mark, mark)}>{sign}</ActionIcon>
        </Tooltip>
      ))}
      {placeholdersOf(value).length < variables && (
        <Button variant="subtle" size="compact-sm" aria-label={`${t.addVariable}: ${label}`} onClick={insert}>{t.addVariable}</Button>
      )}
      <Counter text={value} most={most} />
    </div>
  );
  const common = { label, description, error, value, onChange: (event: { target: { value: string } }) => onChange(event.target.value) };
  return (
    <div>
      {short ? <TextInput ref={field} {...common} /> : <Textarea ref={field} {...common} autosize minRows={4} maxRows={14} />}
      {tools}
    </div>
  );
}

/** A sample for each placeholder of a text. */
export function SampleFields(props: { text: string; samples: Samples; error?: string; onChange: (samples: Samples) => void; of?: string }) {
  const t = useTemplateText();
  const names = placeholdersOf(props.text);
  if (names.length === 0) return null;
  return (
    <fieldset className={styles.samples}>
      <legend>{props.of ? `${t.samples}: ${props.of}` : t.samples}</legend>
      <p className={styles.hint}>{t.samplesHint}</p>
      {names.map((name, i) => (
        <TextInput key={name} label={t.sampleOf(name)} value={props.samples[name] ?? ""} error={i === 0 ? props.error : undefined}
          onChange={(event) => props.onChange({ ...props.samples, [name]: event.target.value })} />
      ))}
    </fieldset>
  );
}
