export interface SnoozeTime {
  name: "hour" | "tomorrow" | "monday";
  at: Date;
}

const morning = 9;

/** The usual times to look at something again, in the reader's zone. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const day = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { name: "hour", at: new Date(now.getTime() + 3_600_000) },
    { name: "tomorrow", at: day(1) },
    { name: "monday", at: day(toMonday) },
  ];
}

const week = 6 * 86_400_000;

/** When something comes back, as short as a list wants it: Monday 09:00, or 3 Mar 09:00 when that is further off. */
export function wakingTime(until: string, language: string, now: Date): string {
  const at = new Date(until);
  const near = at.getTime() - now.getTime() < week;
  const day = new Intl.DateTimeFormat(language, near ? { weekday: "long" } : { day: "numeric", month: "short" });
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return `${day.format(at)} ${time.format(at)}`;
}
