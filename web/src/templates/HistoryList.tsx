import { useLanguage } from "../i18n";
import { Time } from "../ui/Time";
import { shortTime, useNow } from "../ui/times";
import type { Change, FullTemplate } from "./data";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

const tones: Record<string, string> = { APPROVED: "good", GREEN: "good", REJECTED: "bad", DISABLED: "bad", RED: "bad", PAUSED: "warn", YELLOW: "warn" };

function useSentence() {
  const t = useTemplateText();
  const reader = useLanguage();
  const now = useNow();
  return (c: Change): string => {
    const word = (names: Record<string, string>, value: string | null) => (value === null ? null : (names[value] ?? value));
    switch (c.aspect) {
      case "quality":
        return t.changes.quality(word(t.qualities, c.previous), word(t.qualities, c.value) ?? "");
      case "category":
        return t.changes.category(word(t.categories, c.previous), word(t.categories, c.value) ?? "");
      case "next_category":
        return t.changes.next(word(t.categories, c.value) ?? "", c.detail && shortTime(c.detail, reader, now));
      default:
        return c.previous === null && c.value === "PENDING" ? t.changes.submitted : t.changes.status(word(t.statuses, c.value) ?? "");
    }
  };
}

/** What happened to a template, the last first. */
export function HistoryList({ changes }: { changes: Change[] }) {
  const t = useTemplateText();
  const sentence = useSentence();
  if (changes.length === 0) return <p className={styles.quiet}>{t.noHistory}</p>;
  return (
    <ol className={styles.history}>
      {changes.map((c) => (
        <li key={c.id} data-tone={c.aspect === "status" || c.aspect === "quality" ? (tones[c.value] ?? "quiet") : "quiet"}>
          <span>{sentence(c)}</span>
          {c.reason && <span className={styles.quiet}>{t.reasons[c.reason]?.what ?? c.reason}</span>}
          <span className={styles.quiet}><Time value={c.at} /></span>
        </li>
      ))}
    </ol>
  );
}

export interface Span {
  quality: string;
  from: number;
  to: number;
}

/** The qualities that a template had, one after another, from when it came here until now. */
export function spansOf(created: string, changes: Change[], now: number): Span[] {
  const steps = changes.filter((c) => c.aspect === "quality").toReversed();
  const spans: Span[] = [];
  let quality = steps[0]?.previous ?? "UNKNOWN";
  let from = Date.parse(created);
  for (const step of steps) {
    const to = Date.parse(step.at);
    if (to > from) spans.push({ quality, from, to });
    [quality, from] = [step.value, to];
  }
  return [...spans, { quality, from, to: Math.max(now, from + 1) }];
}

/** The quality over time, as a strip. There is one only once it has changed. */
export function QualityStrip({ template, changes }: { template: FullTemplate; changes: Change[] }) {
  const t = useTemplateText();
  const reader = useLanguage();
  const now = useNow();
  const spans = spansOf(template.created_at, changes, now.getTime());
  if (spans.length < 2) return null;
  const words = spans.map((s) => `${t.qualities[s.quality] ?? s.quality}: ${shortTime(new Date(s.from).toISOString(), reader, now)}`);
  return (
    <section>
      <h3>{t.qualityOver}</h3>
      <div className={styles.strip} role="img" aria-label={words.join(", ")}>
        {spans.map((s, i) => (
          <span key={s.from} data-tone={tones[s.quality] ?? "quiet"} style={{ flexGrow: s.to - s.from }} title={words[i]} />
        ))}
      </div>
    </section>
  );
}
