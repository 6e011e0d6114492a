const speeds = [1, 1.5, 2];

export const nextSpeed = (speed: number): number => speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1;

/** 0:42 */
export function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
