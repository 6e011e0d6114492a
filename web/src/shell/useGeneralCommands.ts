import { useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useIsAdmin, useMe } from "../api/queries";
import { useText } from "../i18n";
import { useCommands, type Command } from "./commands";

type Dialog = "palette" | "shortcuts";

/** The commands that every page has, and which of their dialogs is open. */
export function useGeneralCommands() {
  const t = useText("shell");
  const router = useRouter();
  const { simulator } = useMe();
  const admin = useIsAdmin();
  const [opened, setOpened] = useState<Dialog>();
  const list = useMemo(() => {
    const group = t.general;
    const go = (to: "/inbox" | "/phone" | "/dev" | "/settings/me", name: string): Command => ({
      id: `go${to}`,
      group,
      title: t.go(name),
      run: () => void router.navigate({ to }),
    });
    return [
      { id: "palette", group, title: t.commands, keys: "mod+k", run: () => setOpened("palette") },
      { id: "shortcuts", group, title: t.shortcuts, keys: "?", run: () => setOpened("shortcuts") },
      go("/inbox", t.inbox),
      ...(simulator ? [go("/phone", t.phone)] : []),
      ...(admin ? [go("/dev", t.developers)] : []),
      go("/settings/me", t.settings),
    ];
  }, [t, router, simulator, admin]);
  useCommands(list);
  return { opened, close: () => setOpened(undefined), openShortcuts: () => setOpened("shortcuts") };
}
