/** A table as a file has it. */
export interface Table {
  columns: string[];
  rows: string[][];
}

/** What the bytes say: UTF-8, UTF-16 with its mark, or else what Windows writes. */
export function decode(bytes: ArrayBuffer): string {
  const [a, b] = new Uint8Array(bytes.slice(0, 2));
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The sign that divides the cells: the one that the first line has most of, outside quotes. */
function dividerOf(text: string): string {
  const line = text.slice(0, 10_000).replace(/"[^"]*"/gu, "").split(/\r?\n/u, 1)[0] ?? "";
  const count = (sign: string) => line.split(sign).length;
  return [",", ";", "\t", "|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** Takes a file apart. Cells may be quoted, and have line breaks then. Rows without any text are left out. */
export function parse(text: string): string[][] {
  const divider = dividerOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(cell.trim());
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.some((c) => c !== "")) rows.push(row);
    row = [];
  };
  for (let i = 0; i < text.length; i++) {
    const sign = text.charAt(i);
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(i + 1) === '"') cell += text.charAt(i++);
      else quoted = false;
    } else if (sign === '"' && cell.trim() === "") {
      quoted = true;
      cell = "";
    } else if (sign === divider) endCell();
    else if (sign === "\n") endRow();
    else if (sign !== "\r") cell += sign;
  }
  endRow();
  return rows;
}

const looksLikeNumber = (s: string) => /^\+?[\d\s().-]{6,}$/u.test(s);

/** A file's columns and rows. A first row without anything like a number has the names of the columns. */
export function tableOf(text: string): Table {
  const rows = parse(text.replace(/^\uFEFF/u, ""));
  const width = Math.max(0, ...rows.slice(0, 100).map((r) => r.length));
  const [first] = rows;
  const headed = first !== undefined && !first.some(looksLikeNumber);
  const columns = Array.from({ length: width }, (_, i) => (headed && first[i]) || String(i + 1));
  return { columns, rows: headed ? rows.slice(1) : rows };
}

/** The column with the numbers: by its name, else the first that looks like it. -1: none does. */
export function phoneColumn({ columns, rows }: Table): number {
  const named = columns.findIndex((c) => /phone|number|mobile|whatsapp|telepon|nomor|ponsel|hp\b|^to$/iu.test(c));
  if (named >= 0) return named;
  return columns.findIndex((_, i) => rows.slice(0, 20).some((row) => looksLikeNumber(row[i] ?? "")));
}

/** Numbers as people paste them: by lines, commas or semicolons. */
export const numbersIn = (text: string) => text.split(/[\n,;\t]+/u).map((s) => s.trim()).filter(Boolean);
