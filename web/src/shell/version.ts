import { useCallback, useState } from "react";
import { useMe } from "../api/queries";
import { useHints } from "../api/stream";
import type { Hint } from "../api/types";
import { Store, useStore } from "../ui/store";

/** Whether the server has become another one than this page came from. */
const outdated = new Store(false);

export const useOutdated = () => useStore(outdated);

/** Compares what the server says of itself, at every new connection, with what it was when the page was loaded. */
export function useVersion(): void {
  const { version } = useMe();
  const [own] = useState(version);
  const listen = useCallback(
    (hint: Hint) => {
      if (hint.kind === "hello" && hint.version !== own) outdated.set(true);
    },
    [own],
  );
  useHints(listen);
}

/** Whether a part of the page could not be loaded: after a new version its old files are gone. */
export function isMissingPart(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|preload CSS/iu.test(error.message);
}
