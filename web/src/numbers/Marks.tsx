import type { BusinessNumber } from "../api/types";
import { useLanguage } from "../i18n";
import { Tag } from "../settings/Rows";
import { limitText, qualityTone, statusTone, type Tone } from "./data";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";

/** A colour for a state whose name stands beside it. */
export function Mark({ tone }: { tone: Tone }) {
  return <span className={styles.mark} data-tone={tone} aria-hidden="true" />;
}

const kinds = { good: undefined, none: undefined, fair: "amber", poor: "red" } as const;

/** What is to say of a number beside its name. */
export function Marks({ number: n }: { number: BusinessNumber }) {
  const t = useNumbers();
  const language = useLanguage();
  return (
    <span className={styles.tags}>
      {n.status !== "connected" && <Tag kind={kinds[statusTone(n.status)]}>{t.statuses[n.status] ?? n.status}</Tag>}
      {n.restriction && <Tag kind="red">{t.restricted(t.restrictions[n.restriction] ?? n.restriction)}</Tag>}
      <Tag kind={kinds[qualityTone(n.quality)]}>{(n.quality && t.qualities[n.quality]) || n.quality || t.noQuality}</Tag>
      <Tag>{limitText(n, t, language)}</Tag>
    </span>
  );
}
