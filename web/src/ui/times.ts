import { useEffect, useState } from "react";
import { serverNow } from "../api/clock";
import { text, type Language } from "../i18n";

const day = 86_400_000;

/** How many midnights of the reader's zone lie between an instant and now. */
function daysAgo(then: Date, now: Date): number {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((midnight(now) - midnight(then)) / day);
}

/** 14:32 */
export function clock(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
    .format(new Date(instant));
}

/** As short as a list wants it: 14:32, Yesterday, Mon, 3 Mar, 3 Mar 2025. */
export function shortTime(instant: string, language: Language, now = new Date(serverNow())): string {
  const then = new Date(instant);
  const days = daysAgo(then, now);
  if (days <= 0) return clock(instant, language);
  if (days === 1) return text("common").yesterday;
  if (days < 7) return new Intl.DateTimeFormat(language, { weekday: "short" }).format(then);
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year }).format(then);
}

/** The heading of a day in a thread: Today, Yesterday, Friday 13 November. */
export function dayName(instant: string, language: Language, now = new Date(serverNow())): string {
  const then = new Date(instant);
  const days = daysAgo(then, now);
  if (days === 0) return text("common").today;
  if (days === 1) return text("common").yesterday;
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year }).format(then);
}

/** The whole of it, for titles. */
export function longTime(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" }).format(new Date(instant));
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", day],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** 3 minutes ago, in 2 hours, now. */
export function relativeTime(instant: string, language: Language, now = serverNow()): string {
  const distance = new Date(instant).getTime() - now;
  const step = steps.find(([, length]) => Math.abs(distance) >= length);
  if (!step) return text("common").now;
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.trunc(distance / step[1]), step[0]);
}

/** The present, anew every so often. */
export function useNow(every = 30_000): Date {
  const [now, setNow] = useState(() => new Date(serverNow()));
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date(serverNow())), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

