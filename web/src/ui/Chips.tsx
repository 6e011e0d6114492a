import styles from "./Chips.module.css";

/** A choice of a few, side by side: one of them holds. */
export function Chips(props: { label: string; value: string; names: Record<string, string>; choose: (value: string) => void }) {
  return (
    <div className={styles.chips} role="group" aria-label={props.label}>
      {Object.entries(props.names).map(([value, name]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.choose(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}
