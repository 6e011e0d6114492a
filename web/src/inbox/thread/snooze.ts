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
