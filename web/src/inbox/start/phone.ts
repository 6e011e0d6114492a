/** The number that somebody wrote, in international form; null while it cannot be one. */
export function phoneIn(text: string): string | null {
  const trimmed = text.trim();
  if (/[^\d\s().+-]/u.test(trimmed) || !/^(\+|00)/u.test(trimmed)) return null;
  const digits = trimmed.replace(/^00/u, "").replace(/\D/gu, "");
  return digits.length >= 8 && digits.length <= 15 && !digits.startsWith("0") ? `+${digits}` : null;
}
