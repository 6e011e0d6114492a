import { useDev } from "../text";
import { Choice } from "./Choice";

/** Since when: the log, events and deliveries are kept for thirty days. */
export function Since({ value, change }: { value: string | undefined; change: (value: string | undefined) => void }) {
  const t = useDev();
  const options = (["hour", "day", "week"] as const).map((span) => ({ value: span, label: t.spans[span] }));
  return <Choice label={t.time} any={t.spans.month} value={value} options={options} change={change} />;
}
