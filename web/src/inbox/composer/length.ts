/** How many characters the server takes. A character may be two of JavaScript's. */
const most = { reply: 4096, note: 10_000 };

/** By how many characters a text is too long. */
export function excessOf(body: string, note: boolean): number {
  const limit = note ? most.note : most.reply;
  return body.length > limit ? Math.max(0, [...body.trim()].length - limit) : 0;
}
