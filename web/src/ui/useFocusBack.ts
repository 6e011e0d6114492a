import { useEffect, useState } from "react";

/**
 * Gives the focus back to what had it before, when a dialog goes and nothing else has taken it. Mantine does that only
 * for a dialog that stays and is closed, not for one that is drawn while it is needed.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(() => () => {
    if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  }, [before]);
}
