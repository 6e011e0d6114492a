import type { OpenHours } from "./data";

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The hours with those of one day changed, in the order of the week. Without hours the day is closed. */
export function withDay(hours: OpenHours[], day: string, times: Omit<OpenHours, "day"> | null): OpenHours[] {
  const all = hours.filter((h) => h.day !== day);
  if (times) all.push({ day, ...times });
  return all.sort((a, b) => weekdays.indexOf(a.day) - weekdays.indexOf(b.day));
}

/** Hours that do not close after they open go on past midnight. */
export const pastMidnight = (h: OpenHours): boolean => h.closes <= h.opens;
