import type { LabelRef } from "../../api/types";
import { Dot } from "../../ui/Dot";
import styles from "./LabelDots.module.css";

const most = 3;

/** Labels as dots; their names are for who points at them and who listens. */
export function LabelDots({ labels }: { labels: LabelRef[] }) {
  const distinct = labels.filter((label, i) => labels.findIndex((l) => l.id === label.id) === i);
  if (distinct.length === 0) return null;
  return (
    <span className={styles.dots} title={distinct.map((l) => l.name).join(", ")}>
      {distinct.slice(0, most).map((label) => (
        <Dot key={label.id} color={label.color} />
      ))}
      <span className="visually-hidden">{distinct.map((l) => l.name).join(", ")}</span>
    </span>
  );
}
