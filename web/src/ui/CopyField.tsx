import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import { useRef, useState } from "react";
import { useText } from "../i18n";
import { Icon } from "./icons";

/** A text to take along, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const t = useText("common");
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      // Without TLS browsers have no clipboard; the old way copies what is selected.
      document.execCommand("copy");
    }
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
