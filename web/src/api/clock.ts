/** How far the browser's clock is behind the server's. */
let behind = 0;

/** Answers tell whole seconds and take a while: what is less than this is no wrong clock. */
const tolerance = 30_000;

/** Learns from the Date header of an answer what time it is on the server. */
export function hearClock(date: string | null, now = Date.now()): void {
  const difference = Date.parse(date ?? "") - now;
  if (Number.isNaN(difference)) return;
  behind = Math.abs(difference) < tolerance ? 0 : difference;
}

/** The present as the server has it. Its instants are compared with this one, since a browser's clock may be wrong. */
export function serverNow(): number {
  return Date.now() + behind;
}
