import { useSyncExternalStore } from "react";
import { serverNow } from "../api/clock";
import { text, type Language } from "../i18n";

const day = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The formatter of a kind of time. Making one takes far longer than using it, and a list needs it for each row. */
function format(language: Language, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${language} ${new Date().getTimezoneOffset()}`; // the reader may travel
  const made = formats.get(key) ?? new Intl.DateTimeFormat(language, options);
  formats.set(key, made);
  return made;
}

/** How many midnights of the reader's zone lie between an instant and now. */
function daysAgo(then: Date, now: Date): number {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((midnight(now) - midnight(then)) / day);
}

/** 14:32 */
export function clock(instant: string, language: Language): string {
  return format(language, "clock", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(instant));
}

/** As short as a list wants it: 14:32, Yesterday, Mon, 3 Mar, 3 Mar 2025. */
export function shortTime(instant: string, language: Language, now = new Date(serverNow())): string {
  const then = new Date(instant);
  const days = daysAgo(then, now);
  if (days <= 0) return clock(instant, language);
  if (days === 1) return text("common").yesterday;
  if (days < 7) return format(language, "weekday", { weekday: "short" }).format(then);
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return format(language, `date ${year}`, { day: "numeric", month: "short", year }).format(then);
}

/** 3 Mar, 14:32, with the year unless it is this one. */
export function comingTime(instant: string, language: Language, now = new Date(serverNow())): string {
  const then = new Date(instant);
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(then);
}

/** Of what happened once: Today, 14:32; Yesterday, 14:32; 3 Mar, 14:32. */
export function factTime(instant: string, language: Language, now = new Date(serverNow())): string {
  const days = daysAgo(new Date(instant), now);
  if (days === 0) return `${text("common").today}, ${clock(instant, language)}`;
  if (days === 1) return `${text("common").yesterday}, ${clock(instant, language)}`;
  return comingTime(instant, language, now);
}

/** The heading of a day in a thread: Today, Yesterday, Friday 13 November. */
export function dayName(instant: string, language: Language, now = new Date(serverNow())): string {
  const then = new Date(instant);
  const days = daysAgo(then, now);
  if (days === 0) return text("common").today;
  if (days === 1) return text("common").yesterday;
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return format(language, `day ${year}`, { weekday: "long", day: "numeric", month: "long", year }).format(then);
}

/** Day and time with all that belongs to them. dateStyle and timeStyle would have twelve hours, whatever hourCycle says. */
export const wholeTime: Intl.DateTimeFormatOptions = {
  weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
};

/** The whole of it, for titles. */
export function longTime(instant: string, language: Language): string {
  return format(language, "whole", wholeTime).format(new Date(instant));
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", day],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** 3 minutes ago, in 2 hours, just now. What is to come is rounded: a link of seven days is made "for 7 days". */
export function relativeTime(instant: string, language: Language, now = serverNow()): string {
  const distance = new Date(instant).getTime() - now;
  const coming = distance > 0;
  const step = steps.find(([, length]) => Math.abs(distance) >= (coming ? 0.99 * length : length));
  if (!step) return coming ? text("common").soon : text("common").now;
  const count = coming ? Math.round(distance / step[1]) : Math.trunc(distance / step[1]);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(count, step[0]);
}

/** 45 s, 12 min, 3 h 20 min, 2 d 4 h, in the reader's language. */
export function duration(seconds: number, language: string): string {
  const unit = (value: number, name: "second" | "minute" | "hour" | "day") => {
    const brief = name === "hour" || name === "day" ? "narrow" : "short"; // an m could be a month
    const unitDisplay = language === "en" ? brief : "long"; // whose words are as short as our abbreviations
    const parts = new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay }).formatToParts(value);
    return parts.filter(({ type }) => type !== "literal").map((part) => part.value).join("\u00a0");
  };
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (minutes < 1) return unit(Math.round(seconds), "second");
  if (hours < 1) return unit(minutes, "minute");
  if (days < 1) return minutes % 60 ? `${unit(hours, "hour")} ${unit(minutes % 60, "minute")}` : unit(hours, "hour");
  return hours % 24 ? `${unit(days, "day")} ${unit(hours % 24, "hour")}` : unit(days, "day");
}

/** A clock that all who look at it share: it ticks once for all of them, and only while somebody looks. */
class Clock {
  private readonly watchers = new Set<() => void>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private now = new Date(serverNow());

  constructor(private readonly every: number) {}

  /** The last tick. While nobody watches there is none, so the time is looked at here. */
  get = (): Date => {
    if (this.timer === undefined && Math.abs(serverNow() - this.now.getTime()) >= this.every) this.now = new Date(serverNow());
    return this.now;
  };

  watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed);
    this.timer ??= setInterval(() => this.tick(), this.every);
    return () => {
      this.watchers.delete(changed);
      if (this.watchers.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  };

  private tick(): void {
    this.now = new Date(serverNow());
    this.watchers.forEach((changed) => changed());
  }
}

const clocks = new Map<number, Clock>();

/** The present, anew every so often. */
export function useNow(every = 30_000): Date {
  const shared = clocks.get(every) ?? new Clock(every);
  clocks.set(every, shared);
  return useSyncExternalStore(shared.watch, shared.get);
}
