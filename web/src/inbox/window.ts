const hour = 3_600_000;

/** The time in which anything may be written to a person: 24 hours from their last message. */
export interface WindowState {
  kind: "open" | "soon" | "closed";
  hours: number;
  minutes: number;
}

const closed: WindowState = { kind: "closed", hours: 0, minutes: 0 };

/** Where the window stands. Below two hours it is soon over. */
export function windowState(expiresAt: string | null, now: number): WindowState {
  const left = expiresAt === null ? 0 : Date.parse(expiresAt) - now;
  if (!(left > 0)) return closed;
  const minutes = Math.max(1, Math.floor(left / 60_000));
  return { kind: left < 2 * hour ? "soon" : "open", hours: Math.floor(minutes / 60), minutes: minutes % 60 };
}
