import type { ReactNode } from "react";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { Missing } from "../ui/Missing";

/** A page that agents can reach by its address alone. The server refuses them too. */
export function AdminsOnly({ children }: { children: ReactNode }) {
  const t = useText("settings");
  if (useIsAdmin()) return children;
  return (
    <Missing icon="lock" title={t.adminsOnly}>
      {t.adminsOnlyBody}
    </Missing>
  );
}
