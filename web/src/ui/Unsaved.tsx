import { useBlocker } from "@tanstack/react-router";
import { useText } from "../i18n";
import { Confirm } from "./Confirm";

/** Asks before a form is left, in whatever way, with something in it that was not saved. */
export function Unsaved({ is }: { is: boolean }) {
  const t = useText("common");
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: () => is, enableBeforeUnload: () => is, withResolver: true });
  if (status !== "blocked") return null;
  return <Confirm title={t.leaveTitle} hint={t.leaveHint} action={t.leave} close={reset} confirm={proceed} />;
}
