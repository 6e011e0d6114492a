/** A recording as MediaRecorder makes it, taken apart. */
export interface Recording {
  /** The OpusHead packet. */
  head: Uint8Array;
  packets: Uint8Array[];
}

const id = {
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  codecID: 0x86,
  codecPrivate: 0x63a2,
  trackNumber: 0xd7,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;

/** These only hold others. A live recording gives some of them no size, so they are walked through. */
const containers = new Set<number>([id.segment, id.cluster, id.tracks, id.blockGroup]);

interface Element {
  id: number;
  from: number;
  to: number;
}

/** Takes the Opus packets out of a WebM file. It throws where the file has none. */
export function readWebM(file: Uint8Array): Recording {
  let head: Uint8Array | null = null;
  let track = -1;
  const packets: Uint8Array[] = [];
  for (const e of elements(file, 0, file.length)) {
    if (e.id === id.trackEntry && head === null) {
      const entry = readTrack(file, e);
      head = entry.head;
      track = entry.number;
    } else if (e.id === id.simpleBlock || e.id === id.block) {
      packets.push(...readBlock(file.subarray(e.from, e.to), track));
    }
  }
  if (head === null || packets.length === 0) throw new Error("the recording has no Opus track");
  return { head, packets };
}

function* elements(file: Uint8Array, from: number, to: number): Generator<Element> {
  let at = from;
  while (at < to) {
    const name = readNumber(file, at, true);
    const size = name && readNumber(file, at + name.length, false);
    if (!name || !size) return;
    const start = at + name.length + size.length;
    if (containers.has(name.value)) {
      at = start; // its children follow, whatever size it says
      continue;
    }
    const end = start + size.value;
    if (end > to) return; // cut off in the middle
    yield { id: name.value, from: start, to: end };
    at = end;
  }
}

/** Reads a number whose first byte says how long it is. An id keeps the bit that says so. */
function readNumber(file: Uint8Array, at: number, keepMarker: boolean): { value: number; length: number } | null {
  const first = file[at];
  if (!first) return null;
  const length = Math.clz32(first) - 23;
  if (at + length > file.length) return null;
  let value = keepMarker ? first : first & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + (file[at + i] ?? 0);
  return { value, length };
}

function readTrack(file: Uint8Array, entry: Element): { head: Uint8Array | null; number: number } {
  let head: Uint8Array | null = null;
  let number = -1;
  let codec = "";
  for (const e of elements(file, entry.from, entry.to)) {
    const content = file.subarray(e.from, e.to);
    if (e.id === id.codecID) codec = String.fromCharCode(...content);
    if (e.id === id.codecPrivate) head = content;
    if (e.id === id.trackNumber) number = content.reduce((n, byte) => n * 256 + byte, 0);
  }
  return { head: codec === "A_OPUS" ? head : null, number };
}

/** A block is the track's number, two bytes of time, flags, and what was recorded. */
function readBlock(block: Uint8Array, track: number): Uint8Array[] {
  const number = readNumber(block, 0, false);
  if (number?.value !== track) return [];
  const flags = block[number.length + 2] ?? 0;
  const content = block.subarray(number.length + 3);
  if ((flags & 0x06) !== 0) throw new Error("the recording has several packets in a block");
  return content.length > 0 ? [content] : [];
}
