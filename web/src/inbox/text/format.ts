/** What a text consists of, as people know it from their phone. */
export type Piece =
  | { kind: "text"; text: string }
  | { kind: "bold" | "italic" | "strike"; pieces: Piece[] }
  | { kind: "code"; text: string; block: boolean }
  | { kind: "link"; text: string; href: string };

const marks = { "*": "bold", _: "italic", "~": "strike" } as const;
type Mark = keyof typeof marks;

const link =
  /https?:\/\/[^\s<>"]+|www\.[^\s<>"]+\.[^\s<>"]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\+\d(?:[ ().-]?\d){7,14}(?!\d)/uy;
const wordCharacter = /[\p{L}\p{N}]/u;

const isMark = (c: string): c is Mark => c in marks;
const isWord = (c: string | undefined) => c !== undefined && wordCharacter.test(c);
const isSpace = (c: string | undefined) => c === undefined || /\s/u.test(c);

interface Atom {
  piece: Piece;
  end: number;
}

/** Reads a text's formatting: *bold*, _italic_, ~strike~, `code`, ```blocks``` and links. */
export function parseText(text: string): Piece[] {
  return parseSpan(text, 0, text.length, "", { "*": 0, _: 0, "~": 0 });
}

/** Up to where each mark is known to have no end, so that a text full of openings is read once. */
type Unclosed = Record<Mark, number>;

function parseSpan(s: string, start: number, end: number, active: string, unclosed: Unclosed): Piece[] {
  const pieces: Piece[] = [];
  let plain = start;
  let i = start;
  while (i < end) {
    const atom = atomAt(s, i, end) ?? marked(s, i, end, active, unclosed);
    if (atom === null) {
      i++;
      continue;
    }
    if (plain < i) pieces.push({ kind: "text", text: s.slice(plain, i) });
    pieces.push(atom.piece);
    i = plain = atom.end;
  }
  if (plain < end) pieces.push({ kind: "text", text: s.slice(plain, end) });
  return pieces;
}

/** What is taken as it stands: code and links, in which marks mean nothing. */
function atomAt(s: string, i: number, end: number): Atom | null {
  if (s[i] === "`") return codeAt(s, i, end);
  return isWord(s[i - 1]) ? null : linkAt(s, i, end);
}

function codeAt(s: string, i: number, end: number): Atom | null {
  const fence = s.startsWith("```", i) ? "```" : "`";
  const from = i + fence.length;
  const close = s.indexOf(fence, from);
  if (close <= from || close + fence.length > end) return null;
  const text = s.slice(from, close);
  if (fence === "`" && text.includes("\n")) return null;
  return {
    piece: { kind: "code", text: text.replace(/^\n|\n$/gu, ""), block: text.includes("\n") },
    end: close + fence.length,
  };
}

function linkAt(s: string, i: number, end: number): Atom | null {
  link.lastIndex = i;
  const found = link.exec(s)?.[0];
  if (found === undefined) return null;
  const text = trimLink(s.slice(i, Math.min(i + found.length, end)));
  const href = hrefOf(text);
  return href === null ? null : { piece: { kind: "link", text, href }, end: i + text.length };
}

/** A sentence's own signs after an address are not part of it; a bracket is, when it was opened inside. */
function trimLink(text: string): string {
  let out = text;
  for (;;) {
    const last = out.at(-1) ?? "";
    if (/[.,;:!?'*_~\]}>»”]/u.test(last) || (last === ")" && !out.includes("("))) out = out.slice(0, -1);
    else return out;
  }
}

/** The address behind a text; null where it is none that is safe to open. */
export function hrefOf(text: string): string | null {
  if (/^\+[\d ().-]+$/u.test(text)) return `tel:${text.replace(/[^\d+]/gu, "")}`;
  if (/^[^\s:/@]+@[^\s:/@]+$/u.test(text)) return `mailto:${text}`;
  return safeLink(text.startsWith("www.") ? `https://${text}` : text);
}

/** Only these open: an address from outside could carry a script. */
export function safeLink(address: string | undefined | null): string | null {
  if (!address) return null;
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:", "tel:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function marked(s: string, i: number, end: number, active: string, unclosed: Unclosed): Atom | null {
  const mark = s[i] ?? "";
  if (!isMark(mark) || active.includes(mark) || isWord(s[i - 1]) || isSpace(s[i + 1])) return null;
  if (i < unclosed[mark]) return null;
  const close = closing(s, i, end, mark);
  if (close === null) {
    unclosed[mark] = lineEnd(s, i, end);
    return null;
  }
  return { piece: { kind: marks[mark], pieces: parseSpan(s, i + 1, close, active + mark, unclosed) }, end: close + 1 };
}

/** Where a mark ends: on the same line, after a sign and before the end of a word. */
function closing(s: string, open: number, end: number, mark: Mark): number | null {
  const stop = lineEnd(s, open, end);
  let i = open + 1;
  while (i < stop) {
    const atom = atomAt(s, i, end);
    if (atom !== null) {
      i = atom.end;
      continue;
    }
    if (s[i] === mark && i > open + 1 && !isSpace(s[i - 1]) && !isWord(s[i + 1])) return i;
    i++;
  }
  return null;
}

function lineEnd(s: string, from: number, end: number): number {
  const at = s.indexOf("\n", from);
  return at < 0 || at > end ? end : at;
}

const flat = (pieces: Piece[]): string => pieces.map((p) => ("pieces" in p ? flat(p.pieces) : p.text)).join("");

/** The same text without its marks. */
export const unmarked = (text: string): string => flat(parseText(text));

/** The same in one line, for a list. */
export function plainText(text: string): string {
  return unmarked(text).replace(/\s+/gu, " ").trim();
}
