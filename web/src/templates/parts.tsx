import type { ReactNode } from "react";
import { useMe } from "../api/queries";
import type { FullTemplate } from "./data";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";
import { LinkButton } from "../ui/LinkButton";
import { NoNumber } from "../ui/NoNumber";
import { NumberSelect } from "../ui/NumberSelect";
import { OfNumber } from "../ui/OfNumber";

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
export function AccountSelect({ number, set, label }: { number: string; set: (number: string) => void; label?: string }) {
  const t = useTemplateText();
  const { numbers } = useMe();
  if (numbers.length < 2) return null;
  return <NumberSelect label={label} aria-label={t.number} value={number} onChange={(next) => next && set(next)} />;
}

/** Templates of the number that the address names, or of the newest. They belong to its business account. */
export function OfAccount({ wanted, none, children }: { wanted: string | undefined; none?: ReactNode; children: (number: string) => ReactNode }) {
  const t = useTemplateText();
  return (
    <OfNumber wanted={wanted} none={none ?? <NoNumber icon="template">{t.noNumberHint}</NoNumber>}
      back={<LinkButton variant="default" to="/templates">{t.back}</LinkButton>}>
      {(number) => children(number.phone_number_id)}
    </OfNumber>
  );
}
