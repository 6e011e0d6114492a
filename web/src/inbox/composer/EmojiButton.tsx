import { Popover } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import { useText } from "../../i18n";
import { ToolButton } from "./ToolButton";

const EmojiPicker = lazy(() => part(() => import("./EmojiPicker")));

export function EmojiButton({ onChoose }: { onChoose: (emoji: string) => void }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="top-start" trapFocus returnFocus>
      <Popover.Target>
        <ToolButton icon="smile" label={t.emoji} aria-expanded={opened} onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <Suspense>
          {opened && (
            <EmojiPicker
              onChoose={(emoji) => {
                setOpened(false);
                onChoose(emoji);
              }}
            />
          )}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
