import { EmojiPicker as Picker } from "frimousse";
import { useText } from "../../i18n";
import { bundledEmojis } from "./emojis";
import styles from "./EmojiPicker.module.css";

export default function EmojiPicker({ onChoose }: { onChoose: (emoji: string) => void }) {
  const t = useText("inbox");
  return (
    <Picker.Root
      className={styles.picker}
      columns={8}
      resolveEmojiData={bundledEmojis}
      onEmojiSelect={({ emoji }) => onChoose(emoji)}
    >
      <Picker.Search className={styles.search} placeholder={t.searchEmoji} aria-label={t.searchEmoji} data-autofocus />
      <Picker.Viewport className={styles.viewport}>
        <Picker.Empty className={styles.empty}>{t.noEmoji}</Picker.Empty>
        <Picker.List
          components={{
            CategoryHeader: ({ category, ...props }) => (
              <div className={styles.category} {...props}>
                {category.label}
              </div>
            ),
            Emoji: ({ emoji, ...props }) => (
              <button type="button" className={styles.emoji} {...props}>
                {emoji.emoji}
              </button>
            ),
          }}
        />
      </Picker.Viewport>
    </Picker.Root>
  );
}
