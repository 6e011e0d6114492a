import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { Icon } from "../../ui/icons";
import { useDev } from "../text";
import styles from "./FindBox.module.css";

/** One box for any id: Enter shows its story. */
export function FindBox() {
  const t = useDev();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim()) void navigate({ to: "/dev/find", search: { id: typed.trim() } });
  };
  return (
    <form role="search" className={styles.box} onSubmit={onSubmit}>
      <TextInput
        type="search"
        aria-label={t.find}
        placeholder={t.findHint}
        value={typed}
        leftSection={<Icon name="search" size={16} />}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  );
}
