/** Codes of countries with one or two digits; all others have three. */
const shortCode = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/u;

/** +62 812 3456 7890: a number in groups that people can read out. What is no number, or a hidden one, stays as it is. */
export function phoneOf(number: string | null | undefined): string | null {
  const digits = /^\+?(\d{8,15})$/u.exec(number ?? "")?.[1];
  if (!digits) return number ?? null;
  const code = shortCode.exec(digits)?.[0] ?? digits.slice(0, 3);
  return `+${code} ${groupsOf(digits.slice(code.length)).join(" ")}`;
}

/** Groups of at most four digits, about as long as each other, the shorter ones first: 202 555 0100. */
function groupsOf(digits: string): string[] {
  const count = Math.ceil(digits.length / 4);
  const starts = Array.from({ length: count + 1 }, (_, i) => Math.floor((i * digits.length) / count));
  return starts.slice(1).map((end, i) => digits.slice(starts[i], end));
}

/** What one of the business's numbers is called. */
export function numberName(n: { name?: string | null; phone_number?: string | null; phone_number_id?: string | null }): string {
  return n.name || phoneOf(n.phone_number) || n.phone_number_id || "";
}

/** The number that somebody wrote, in international form; null while it cannot be one. */
export function phoneIn(text: string): string | null {
  const trimmed = text.trim();
  if (/[^\d\s().+-]/u.test(trimmed) || !/^(\+|00)/u.test(trimmed)) return null;
  const digits = trimmed.replace(/^00/u, "").replace(/\D/gu, "");
  return digits.length >= 8 && digits.length <= 15 && !digits.startsWith("0") ? `+${digits}` : null;
}
