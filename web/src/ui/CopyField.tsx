import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import { useRef, useState } from "react";
import { useText } from "../i18n";
import { Icon } from "./icons";

/** Copies a text; selected is what the old way copies, where browsers have no clipboard because there is no TLS. */
export async function copyText(text: string, selected?: HTMLInputElement | null): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = selected ?? document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text }));
    area.select();
    document.execCommand("copy");
    if (area !== selected) area.remove();
  }
}

/** A text to take along, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const t = useText("common");
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    field.current?.select();
    await copyText(value, field.current);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <>
      <TextInput
        ref={field}
        label={label}
        value={value}
        readOnly
        classNames={{ input: "mono" }}
        onFocus={(event) => event.target.select()}
        rightSection={
          <Tooltip label={copied ? t.copied : t.copy} opened={copied || undefined}>
            <ActionIcon variant="subtle" aria-label={t.copy} onClick={() => void copy()}>
              <Icon name={copied ? "check" : "copy"} size={18} />
            </ActionIcon>
          </Tooltip>
        }
      />
      <span className="visually-hidden" role="status">
        {copied && t.copied}
      </span>
    </>
  );
}
