import { useBlocker } from "@tanstack/react-router";
import { Confirm } from "./Confirm";
import { useBroadcasts } from "./text";

/** Asks before a step is left, in whatever way, with something in it that was not saved. */
export function Unsaved({ is }: { is: boolean }) {
  const t = useBroadcasts();
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: () => is, enableBeforeUnload: () => is, withResolver: true });
  if (status !== "blocked") return null;
  return <Confirm title={t.leaveTitle} hint={t.leaveHint} action={t.leave} close={reset} confirm={proceed} />;
}
