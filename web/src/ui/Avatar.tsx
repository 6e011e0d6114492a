import styles from "./Avatar.module.css";

/** Two letters for a name; for a number its last two digits, because the first are those of the country. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}+]/u.test(word));
  const first = words[0] ?? "?";
  if (/^[+\d]/.test(first)) return name.replace(/\D/g, "").slice(-2) || "?";
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  const letter = (word: string) => [...word][0] ?? "";
  return (letter(first) + (last ? letter(last) : ([...first][1] ?? ""))).toLocaleUpperCase();
}

/** The same person has the same of eight hues everywhere. */
function hue(id: string): number {
  let sum = 0;
  for (const char of id) sum = (sum * 31 + char.charCodeAt(0)) >>> 0;
  return sum % 8;
}

/** A dot marks who is away. It says nothing to screen readers: a text beside it does. */
export function Avatar(props: { name: string; id?: string; size?: number; away?: boolean }) {
  const { name, id, size = 40, away } = props;
  return (
    <span
      className={styles.avatar}
      data-hue={id ? hue(id) : undefined}
      data-away={away || undefined}
      style={{ width: size, height: size, fontSize: Math.max(9, Math.round(size * 0.33)) }}
      data-initials={initials(name)} // drawn by the style sheet: they are no text to be read
      aria-hidden="true"
    />
  );
}
