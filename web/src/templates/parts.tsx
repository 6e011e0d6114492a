import { Select } from "@mantine/core";
import { useMe } from "../api/queries";
import type { FullTemplate } from "./data";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";
import { numberOptions } from "../ui/phone";

const tones: Record<string, string> = { APPROVED: "good", REJECTED: "bad", DISABLED: "bad", PAUSED: "warn", LIMIT_EXCEEDED: "warn", ARCHIVED: "warn" };

/** How far a template's review has come: a dot and a word. */
export function StatusText({ status }: { status: string }) {
  const t = useTemplateText();
  return (
    <span className={styles.status} data-tone={tones[status] ?? "quiet"}>
      {t.statuses[status] ?? status}
    </span>
  );
}

const qualityTones: Record<string, string> = { GREEN: "good", YELLOW: "warn", RED: "bad" };

export function QualityText({ quality }: { quality: string | null }) {
  const t = useTemplateText();
  const known = quality ?? "UNKNOWN";
  return (
    <span className={styles.status} data-tone={qualityTones[known] ?? "quiet"}>
      {t.qualities[known] ?? known}
    </span>
  );
}

/** What is the matter with a template, in words, and what to do about it; null where nothing is. */
export function useTrouble(template: FullTemplate): { what: string; change: string } | null {
  const t = useTemplateText();
  const { provider_status: status, rejected_reason: reason, quality } = template;
  if (status === "REJECTED") return t.reasons[reason ?? "OTHER"] ?? t.reasons.OTHER ?? null;
  return t.notes[status] ?? (quality === "RED" ? (t.notes.RED ?? null) : null);
}

/** The number whose business account the templates are of, where there are several. */
export function NumberSelect({ number, set, label }: { number: string; set: (number: string) => void; label?: string }) {
  const t = useTemplateText();
  const { numbers } = useMe();
  if (numbers.length < 2) return null;
  return (
    <Select label={label} aria-label={t.number} value={number} allowDeselect={false} onChange={(value) => value && set(value)}
      data={numberOptions(numbers)} />
  );
}
