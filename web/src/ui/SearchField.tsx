import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { Icon } from "./icons";

interface Props {
  label: string;
  /** What the address says. */
  value: string | undefined;
  set: (words: string | undefined) => void;
  className?: string;
}

/** Searches while one types, with a short rest for the server. It empties when the address no longer has its words. */
export function SearchField({ label, value = "", set, className }: Props) {
  const [typed, setTyped] = useState(value);
  const [sent, setSent] = useState(value);
  const [known, setKnown] = useState(value);
  const later = useDebouncedCallback((words: string) => {
    setSent(words);
    set(words || undefined);
  }, 250);
  if (value !== known) {
    setKnown(value);
    if (value !== sent) {
      setSent(value);
      setTyped(value);
    }
  }
  return (
    <TextInput
      className={className}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        later(event.target.value.trim());
      }}
    />
  );
}
