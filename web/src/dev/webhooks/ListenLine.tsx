import { CopyField } from "../../ui/CopyField";
import { recentKey } from "../keys/recent";
import { useDev } from "../text";

/** The command that forwards events to one's own machine, ready to be copied. */
export function ListenLine() {
  const t = useDev();
  const key = recentKey() ?? "svc_live_…";
  return <CopyField label={t.command} value={`PARLEY_API_KEY=${key} parley listen --url ${location.origin} --forward-to localhost:3000/webhooks`} />;
}
