/** A language's name in the reader's language; its code where it has none. */
export function languageName(code: string, reader: string): string {
  try {
    return new Intl.DisplayNames(reader, { type: "language" }).of(code.replaceAll("_", "-")) ?? code;
  } catch {
    return code;
  }
}
