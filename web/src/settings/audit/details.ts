import { clientName } from "../me/clientName";
import type { Entry, useAudit } from "./data";

/** Details whose values are words of the program; all others were written by people. */
const worded = new Set(["role", "sees", "disabled", "suspended", "kind", "status", "consent", "before", "require_opt_in", "reason", "by", "subscription"]);

function valueOf(name: string, value: string, t: ReturnType<typeof useAudit>): string {
  if (name === "client") return clientName(value);
  const each = (separator: string, words: Record<string, string>) => value.split(separator).map((word) => words[word] ?? word).join(separator);
  if (name === "changed") return each(", ", t.fields);
  return worded.has(name) ? each(" → ", t.values) : value;
}

/** What an entry says beside its name, in words, and always in the same order. */
export function detailsOf(details: Entry["details"], t: ReturnType<typeof useAudit>): { name: string; value: string }[] {
  const order = Object.keys(t.details);
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(details)
    .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([name, value]) => ({ name, value: valueOf(name, value, t) }));
}
