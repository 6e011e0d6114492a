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

/** Whether it is a text. A workbook, for one, is packed, and has signs in it that no text has. */
export const isText = (text: string) => !text.includes("\0");

/** The line in which Excel names the divider. */
const named = /^sep=(.)(?:\r\n?|\n)/iu;

/** The sign that divides the cells: the one that the first line has most of, outside quotes. */
function dividerOf(text: string): string {
  const line = text.slice(0, 10_000).replace(/"[^"]*"/gu, "").split(/[\r\n]/u, 1)[0] ?? "";
  const count = (sign: string) => line.split(sign).length;
  return [",", ";", "\t", "|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** Takes a file apart. Cells may be quoted, and have line breaks then. Rows without any text are left out. */
export function parse(file: string): string[][] {
  const text = file.replace(named, "");
  const divider = named.exec(file)?.[1] ?? dividerOf(text);
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
    else if (sign === "\n" || sign === "\r") endRow(); // between \r and \n is a row without any text
    else cell += sign;
  }
  endRow();
  return rows;
}

/** Spreadsheets guard numbers with quotes, and phones put marks of direction around them. */
const looksLikeNumber = (s: string) => /^\+?[\d\s().\p{Pd}]{6,}$/u.test(s.replace(/^[='"]+|"$|\p{Cf}/gu, ""));

/** A file's columns and rows. A first row without anything like a number has the names of the columns. */
export function tableOf(text: string): Table {
  const rows = parse(text.replace(/^\uFEFF/u, ""));
  const width = Math.max(0, ...rows.slice(0, 100).map((r) => r.length));
  const [first] = rows;
  const headed = first !== undefined && !first.some(looksLikeNumber);
  const columns = Array.from({ length: width }, (_, i) => (headed && first[i]) || String(i + 1));
  return { columns, rows: headed ? rows.slice(1) : rows };
}

/** The column with the numbers: by its name, else the first that looks like it. -1: none does. An order has a number too. */
export function phoneColumn({ columns, rows }: Table): number {
  for (const name of [/phone|mobile|whatsapp|telepon|telefon|ponsel|celular|\bhp\b|\btel\b/iu, /^(number|nomor|to)$/iu]) {
    const named = columns.findIndex((c) => name.test(c));
    if (named >= 0) return named;
  }
  return columns.findIndex((_, i) => rows.slice(0, 20).some((row) => looksLikeNumber(row[i] ?? "")));
}

/** Numbers as people paste them: by lines, commas or semicolons, or one behind the other. */
export const numbersIn = (text: string) => text.split(/[\r\n,;\t]+|\s+(?=\p{Cf}*\+)/u).map((s) => s.trim()).filter(Boolean);

/** The beginning of a text, without half of a character. */
export const cut = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, "");
