/** 84 ms, 1.2 s. */
export function duration(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** 14:32:08, with the day where that is not today. */
export function precise(instant: string, language: string, now = new Date()): string {
  const then = new Date(instant);
  const today = then.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(language, {
    ...(today ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
  }).format(then);
}
