import { ApiError } from "../api/client";
import { text } from "../i18n";
import type { Dictionary } from "../i18n";

type Words = Dictionary["errors"];

/** What the server says to programmers, and how people are told of it. The first that fits counts. */
const patterns: [RegExp, (words: Words, ...found: string[]) => string][] = [
  [/^Must be at least 1 characters? long/u, (t) => t.required],
  [/^Must be at least (\d+) characters long/u, (t, n) => t.tooShort(Number(n))],
  [/^Must be at most (\d+) characters long/u, (t, n) => t.tooLong(Number(n))],
  [/^Must be (\d+) to (\d+) characters long/u, (t, a, b) => t.between(Number(a), Number(b))],
  [/^Must be one of /u, (t) => t.choose],
  [/^Must be a valid email/u, (t) => t.email],
  [/^Must be a valid ur[il]/u, (t) => t.address],
  [/^Must be a valid phone-number/u, (t) => t.phone],
  [/^Must have at least (\d+) items?/u, (t, n) => t.fewItems(Number(n))],
  [/^Must have at most (\d+) items?/u, (t, n) => t.manyItems(Number(n))],
  [/^Must be at least (\S+)\.$/u, (t, n) => t.least(n ?? "")],
  [/^Must be at most (\S+)\.$/u, (t, n) => t.most(n ?? "")],
  [/^Must be a number in international form/u, (t) => t.phone],
  [/^Must be an? (whole )?(number|integer)/u, (t) => t.number],
  [/^Must be in the future/u, (t) => t.future],
  [/^Must (match|not contain|be) /u, (t) => t.shape],
  [/^A user with this address exists already/u, (t) => t.emailTaken],
  [/^This is the only owner/u, (t) => t.onlyOwner],
  [/^This is not your password/u, (t) => t.wrongPassword],
  [/^The organization has a team of this name/u, (t) => t.teamTaken],
  [/^The team has a label of this name/u, (t) => t.labelTaken],
  [/^The broadcast is \w+; this is possible while/u, (t) => t.broadcastMoved],
  [/^The broadcast is a copy that is still being made/u, (t) => t.broadcastCopied],
  [/^The broadcast is still being stopped/u, (t) => t.broadcastStopping],
  [/\(quality_red\)/u, (t) => t.qualityRed],
  [/\(template_paused\)/u, (t) => t.templatePaused],
  [/\(template_disabled\)/u, (t) => t.templateDisabled],
  [/the parameters (of this broadcast )?do not fit any more/u, (t) => t.templateChanged],
  [/^There is nobody to send to/u, (t) => t.nobody],
  [/^The number's team has no label/u, (t) => t.labelGone],
  [/^The message cannot be filled in for the first recipient/u, (t) => t.testUnfilled],
];

const codes: Record<string, keyof { [Name in keyof Words as Words[Name] extends string ? Name : never]: true }> = {
  missing_required_field: "required",
  invalid_phone_number: "phone",
  forbidden: "forbidden",
  resource_not_found: "gone",
  rate_limit_exceeded: "tooOften",
};

/**
 * What an error says to people, for toasts and forms. What is not known here is said as the server says it: in English. So
 * the other languages have a sentence for each code.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.code === "offline") return text("common").offlineError;
  if (error.code === "timeout") return text("common").timeoutError;
  if (error.code === "unanswered") return text("common").unansweredError;
  const words = text("errors");
  for (const [pattern, say] of patterns) {
    const found = pattern.exec(error.message);
    if (found) return say(words, ...found.slice(1));
  }
  const known = codes[error.code];
  return known ? words[known] : (words.codes[error.code] ?? error.message);
}
