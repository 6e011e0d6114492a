export interface Part {
  text: string;
  mention: boolean;
}

/** Cuts a note at "@Name" of the people that it mentions; longer names first, so that "@Ana Nur" is not "@Ana". */
export function splitMentions(body: string, names: string[]): Part[] {
  const marks = names.map((name) => `@${name}`).sort((a, b) => b.length - a.length);
  const parts: Part[] = [];
  let plain = "";
  let i = 0;
  const flush = () => {
    if (plain) parts.push({ text: plain, mention: false });
    plain = "";
  };
  while (i < body.length) {
    const mark = body[i] === "@" ? marks.find((m) => body.startsWith(m, i)) : undefined;
    if (mark) {
      flush();
      parts.push({ text: mark, mention: true });
      i += mark.length;
    } else plain += body[i++];
  }
  flush();
  return parts;
}

/** Which of the people a note mentions. */
export function mentionsIn(body: string, people: { id: string; name: string }[]): string[] {
  const named = new Set(
    splitMentions(
      body,
      people.map((p) => p.name),
    )
      .filter((p) => p.mention)
      .map((p) => p.text.slice(1)),
  );
  return people.filter((p) => named.has(p.name)).map((p) => p.id);
}

/** The word being written after an @, up to the caret; null where none is. */
export function mentionAt(body: string, caret: number): { from: number; word: string } | null {
  const match = /(?:^|\s)@([^\s@]*)$/u.exec(body.slice(0, caret));
  return match ? { from: caret - (match[1]?.length ?? 0) - 1, word: match[1] ?? "" } : null;
}
