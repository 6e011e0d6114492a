import { Button, Menu, TextInput } from "@mantine/core";
import { placeholderNames } from "../../inbox/templates/template";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import limits from "../limits.json";
import { useTemplateText } from "../text";
import styles from "./Builder.module.css";
import { emptyButton, type ButtonForm, type ButtonType } from "./form";
import { Counter } from "./TextField";

const mostOf: Record<ButtonType, number> = {
  QUICK_REPLY: limits.quick_replies, URL: limits.url_buttons, PHONE_NUMBER: limits.phone_buttons, COPY_CODE: limits.copy_buttons,
};

interface Props {
  buttons: ButtonForm[];
  most: number;
  prefix: string;
  /** Stands before the names of the fields, where there are several lists of buttons. */
  of?: string;
  errorOf: (field: string) => string | undefined;
  onChange: (buttons: ButtonForm[]) => void;
}

/** The buttons below a message or a card. */
export function ButtonFields({ buttons, most, prefix, of, errorOf, onChange }: Props) {
  const t = useTemplateText();
  const change = (i: number, next: Partial<ButtonForm>) => onChange(buttons.map((b, j) => (i === j ? { ...b, ...next } : b)));
  const left = (Object.keys(mostOf) as ButtonType[]).filter((type) => buttons.filter((b) => b.type === type).length < mostOf[type]);
  // Quick replies stand together: a new one joins the others.
  const add = (type: ButtonType) => {
    const last = type === "QUICK_REPLY" ? buttons.findLastIndex((b) => b.type === type) : -1;
    onChange(last < 0 ? [...buttons, emptyButton(type)] : buttons.toSpliced(last + 1, 0, emptyButton(type)));
  };
  return (
    <div className={styles.list} role="group" aria-label={of ? `${of}: ${t.buttons}` : t.buttons}>
      {buttons.map((button, i) => (
        <div key={i} className={styles.item}>
          <header>
            <span>{t.buttonTypes[button.type]}</span>
            {i > 0 && (
              <IconButton
                icon="down"
                label={t.moveUp(i + 1)}
                iconSize={16}
                size={28}
                className={styles.up}
                onClick={() => onChange(buttons.toSpliced(i - 1, 2, button, buttons[i - 1] ?? button))}
              />
            )}
            <IconButton
              icon="close"
              label={t.removeButton(i + 1)}
              iconSize={16}
              size={28}
              onClick={() => onChange(buttons.toSpliced(i, 1))}
            />
          </header>
          <OneButton n={i + 1} button={button} of={of} errorOf={(name) => errorOf(`${prefix}.${i}.${name}`)} change={(next) => change(i, next)} />
        </div>
      ))}
      {errorOf(prefix) && <p className={styles.error} role="alert">{errorOf(prefix)}</p>}
      {buttons.length < most && left.length > 0 && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button className={styles.add} variant="default" leftSection={<Icon name="plus" size={16} />} aria-label={of ? `${of}: ${t.addButton}` : t.addButton}>{t.addButton}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {left.map((type) => <Menu.Item key={type} onClick={() => add(type)}>{t.buttonTypes[type]}</Menu.Item>)}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}

interface OneProps {
  n: number;
  button: ButtonForm;
  of?: string;
  errorOf: (name: string) => string | undefined;
  change: (next: Partial<ButtonForm>) => void;
}

function OneButton({ n, button: b, of, errorOf, change }: OneProps) {
  const t = useTemplateText();
  const named = (label: string) => (of ? `${of}: ${label}` : label);
  if (b.type === "COPY_CODE")
    return (
      <div>
        <TextInput label={named(t.buttonCode(n))} value={b.example} error={errorOf("example") ?? errorOf("type")} onChange={(event) => change({ example: event.target.value })} />
        <div className={styles.tools}><Counter text={b.example} most={limits.coupon} /></div>
      </div>
    );
  return (
    <>
      <div>
        <TextInput label={named(t.buttonText(n))} value={b.text} error={errorOf("text") ?? errorOf("type")} onChange={(event) => change({ text: event.target.value })} />
        <div className={styles.tools}><Counter text={b.text} most={limits.button_text} /></div>
      </div>
      {b.type === "PHONE_NUMBER" && (
        <TextInput label={named(t.buttonPhone(n))} type="tel" value={b.phone} error={errorOf("phone_number")} onChange={(event) => change({ phone: event.target.value })} />
      )}
      {b.type === "URL" && (
        <TextInput label={named(t.buttonUrl(n))} description={t.buttonUrlHint} type="url" value={b.url} error={errorOf("url")} onChange={(event) => change({ url: event.target.value })} />
      )}
      {b.type === "URL" && placeholderNames(b.url).length > 0 && (
        <TextInput label={named(t.buttonSample(n))} type="url" value={b.example} error={errorOf("example")} onChange={(event) => change({ example: event.target.value })} />
      )}
    </>
  );
}
