import { wholeTime } from "../ui/times";

/** By how many milliseconds a zone's clocks are ahead of UTC at an instant. */
function offsetOf(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
  }).formatToParts(at);
  const n = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  return Date.UTC(n("year"), n("month") - 1, n("day"), n("hour"), n("minute"), n("second")) - Math.floor(at / 1000) * 1000;
}

const day = 86_400_000;

/**
 * The instant at which the clocks of a zone show a local time like 2026-03-01T09:30. Where they are set back, that happens
 * twice, and the first time is meant. Where they are set forward, it may never happen, and the instant is as much later as
 * they are set forward.
 */
export function instantOf(local: string, zone: string): { instant: string; odd?: "twice" | "never" } {
  const wall = Date.parse(`${local}Z`);
  const before = offsetOf(wall - day, zone);
  const found = [...new Set([before, offsetOf(wall + day, zone)])].filter((offset) => offsetOf(wall - offset, zone) === offset);
  const instant = (offset: number) => new Date(wall - offset).toISOString();
  if (found.length === 0) return { instant: instant(before), odd: "never" };
  return { instant: instant(Math.max(...found)), odd: found.length > 1 ? "twice" : undefined };
}

/** The opposite of instantOf, to the minute. */
export function localOf(instant: string, zone: string): string {
  const at = Date.parse(instant);
  return new Date(at + offsetOf(at, zone)).toISOString().slice(0, 16);
}

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const zones = () => [...new Set([ownZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])];

/** A zone as people write it: who looks for New York does not type New_York. */
export const zoneName = (zone: string) => zone.replaceAll("_", " ");

/** An instant in words, by the clocks of a zone. */
export const inZone = (instant: string, zone: string, language: string) =>
  new Intl.DateTimeFormat(language, { ...wholeTime, timeZone: zone }).format(new Date(instant));
