import { useEffect } from "react";

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Lets the browser ask before the page goes with what was not saved, also when the session has ended. */
export function useAskToLeave(is: boolean): void {
  useEffect(() => {
    if (!is) return;
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [is]);
}
