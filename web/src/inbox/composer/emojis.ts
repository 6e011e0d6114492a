import type { EmojiData } from "frimousse";

interface Compact {
  unicode: string;
  label: string;
  tags?: string[];
  group?: number;
}

/** Parts of other emojis, such as shades of skin. */
const component = 2;

/** The emojis that are part of the program: nothing is fetched from elsewhere. */
export async function bundledEmojis(): Promise<EmojiData> {
  const [{ default: all }, { default: words }] = await Promise.all([
    import("emojibase-data/en/compact.json"),
    import("emojibase-data/en/messages.json"),
  ]);
  const emojis = (all as Compact[]).flatMap(({ unicode, label, tags, group }) =>
    group === undefined || group === component
      ? []
      : [{ emoji: unicode, category: group, label, version: 1, tags: tags ?? [] }],
  );
  const categories = words.groups
    .filter((g) => g.order !== component)
    .map((g) => ({ index: g.order, label: g.message }));
  return {
    locale: "en",
    emojis,
    categories,
    skinTones: { light: "", "medium-light": "", medium: "", "medium-dark": "", dark: "" },
  };
}
