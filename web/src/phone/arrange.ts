import type { PhoneMessage } from "./data";

export interface Line {
  message: PhoneMessage;
  /** The first of a day has the day's name above it. */
  newDay: boolean;
  /** The last of what one side wrote within three minutes has the time below it. */
  endsGroup: boolean;
}

const groupFor = 3 * 60_000;

function sameGroup(a: PhoneMessage, b: PhoneMessage): boolean {
  return a.from === b.from && Date.parse(b.created_at) - Date.parse(a.created_at) < groupFor;
}

function sameDay(a: PhoneMessage, b: PhoneMessage): boolean {
  return new Date(a.created_at).toDateString() === new Date(b.created_at).toDateString();
}

/** How messages stand under each other. */
export function arrange(messages: PhoneMessage[]): Line[] {
  return messages.map((message, i) => {
    const before = messages[i - 1];
    const after = messages[i + 1];
    return {
      message,
      newDay: !before || !sameDay(before, message),
      endsGroup: !after || !sameGroup(message, after) || !sameDay(message, after),
    };
  });
}
