import type { Happening, Message, Note, TimelineItem } from "../../api/types";

/** A line of the thread as it is drawn, oldest first. */
export type Row =
  | { key: string; kind: "day"; at: string }
  | { key: string; kind: "new" }
  | { key: string; kind: "note"; id: string; at: string; note: Note }
  | { key: string; kind: "happening"; at: string; happening: Happening; divides: boolean }
  | { key: string; kind: "message"; at: string; message: Message; first: boolean; last: boolean };

type MessageRow = Extract<Row, { kind: "message" }>;

const together = 3 * 60_000;

export interface Arrangement {
  /** The oldest message that had not been read when the thread was opened. */
  firstUnread?: string;
  /** The day of an instant in the reader's zone, as any text that differs from day to day. */
  dayOf?: (at: string) => string;
}

const localDay = (at: string) => new Date(at).toDateString();

/** Puts items, which come newest first, into the order and groups in which people read them. */
export function arrange(items: TimelineItem[], { firstUnread, dayOf = localDay }: Arrangement = {}): Row[] {
  const rows: Row[] = [];
  let day = "";
  for (const item of items.toReversed()) {
    const today = dayOf(item.created_at);
    if (today !== day) rows.push({ key: `day ${today}`, kind: "day", at: item.created_at });
    day = today;
    if (item.id === firstUnread) rows.push({ key: "new", kind: "new" });
    rows.push(rowOf(item));
  }
  return group(rows);
}

function rowOf(item: TimelineItem): Row {
  const { id, created_at: at } = item;
  switch (item.kind) {
    case "message":
      return { key: id, kind: "message", at, message: item.message, first: true, last: true };
    case "note":
      return { key: id, kind: "note", id, at, note: item.note };
    case "happening":
      return { key: id, kind: "happening", at, happening: item.happening, divides: divides(item.happening) };
  }
}

/** Where a conversation ended and began again, a line goes through it. */
function divides({ what }: Happening): boolean {
  return what === "resolved" || what === "reopened";
}

function group(rows: Row[]): Row[] {
  rows.forEach((row, i) => {
    const before = rows[i - 1];
    if (row.kind !== "message" || before?.kind !== "message" || !belongs(before, row)) return;
    row.first = false;
    before.last = false;
  });
  return rows;
}

/** Whether two messages stand together: the same side, by the same hand, within three minutes. */
function belongs(a: MessageRow, b: MessageRow): boolean {
  return (
    a.message.direction === b.message.direction &&
    a.message.sent_by?.id === b.message.sent_by?.id &&
    !a.message.error &&
    Date.parse(b.at) - Date.parse(a.at) <= together
  );
}

/** The rows with those of before that say the same, so that only what has changed is drawn again. */
export function keepRows(before: Row[], now: Row[]): Row[] {
  const old = new Map(before.map((row) => [row.key, row]));
  const kept = now.map((row) => {
    const same = old.get(row.key);
    return same && isSame(same, row) ? same : row;
  });
  return kept.length === before.length && kept.every((row, i) => row === before[i]) ? before : kept;
}

function isSame(a: Row, b: Row): boolean {
  const names = Object.keys(b) as (keyof Row)[];
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name]);
}

/** The oldest of the unread messages: as many from the newest as the count says. */
export function oldestUnread(items: TimelineItem[], unread: number): string | undefined {
  const inbound = items.filter((item) => item.kind === "message" && item.message.direction === "inbound");
  return inbound[Math.min(unread, inbound.length) - 1]?.id;
}
