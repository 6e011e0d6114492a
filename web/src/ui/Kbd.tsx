import styles from "./Kbd.module.css";

const mac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

/** A key or a combination, written as the machine's keyboard has it: "mod+k" is Ctrl+K, or ⌘K on a Mac. */
export function Kbd({ keys }: { keys: string }) {
  const parts = keys.split("+").map((key) => {
    if (key === "mod") return mac ? "⌘" : "Ctrl";
    if (key === "shift") return mac ? "⇧" : "Shift";
    return key.length === 1 ? key.toUpperCase() : key;
  });
  return <kbd className={styles.kbd}>{parts.join(mac ? "" : "+")}</kbd>;
}
