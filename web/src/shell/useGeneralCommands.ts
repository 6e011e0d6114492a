import { useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useText } from "../i18n";
import { undoLast } from "../ui/toasts";
import { useCommands, type Command } from "./commands";
import { usePages } from "./pages";

type Dialog = "palette" | "shortcuts";

/** The commands that every page has, and which of their dialogs is open. */
export function useGeneralCommands() {
  const t = useText("shell");
  const router = useRouter();
  const pages = usePages();
  const [opened, setOpened] = useState<Dialog>();
  const list = useMemo(() => {
    const group = t.general;
    return [
      { id: "palette", group, title: t.commands, keys: "mod+k", run: () => setOpened("palette") },
      { id: "shortcuts", group, title: t.shortcuts, keys: "?", run: () => setOpened("shortcuts") },
      { id: "undo", group, title: t.undo, keys: "z", run: undoLast },
      ...pages.map(
        (page): Command => ({
          id: `go${page.to}`,
          group,
          title: t.go(page.name),
          run: () => void router.navigate({ to: page.to }),
        }),
      ),
    ];
  }, [t, router, pages]);
  useCommands(list);
  return { opened, close: () => setOpened(undefined), openShortcuts: () => setOpened("shortcuts") };
}
