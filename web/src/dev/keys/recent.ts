let recent: string | undefined;

/** Keeps a key that was just made, until the page is left, for the examples of the reference. */
export function remember(text: string): void {
  recent = text;
}

export function recentKey(): string | undefined {
  return recent;
}
