import type { ReactNode } from "react";
import { useIsAdmin, useSeesEverybody } from "../api/queries";
import { useText } from "../i18n";
import { Missing } from "../ui/Missing";

/** A page that agents can reach by its address alone; with everybody also those who see what is assigned to them alone. The server refuses them too. */
export function AdminsOnly({ everybody = false, children }: { everybody?: boolean; children: ReactNode }) {
  const t = useText("settings");
  const admin = useIsAdmin();
  const all = useSeesEverybody();
  if (admin && (all || !everybody)) return children;
  return (
    <Missing icon="lock" title={admin ? t.everybodyOnly : t.adminsOnly}>
      {admin ? t.everybodyOnlyBody : t.adminsOnlyBody}
    </Missing>
  );
}
