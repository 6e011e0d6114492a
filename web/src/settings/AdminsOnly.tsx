import type { ReactNode } from "react";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { EmptyState } from "../ui/EmptyState";

/** A page that agents can reach by its address alone. The server refuses them too. */
export function AdminsOnly({ children }: { children: ReactNode }) {
  const t = useText("settings");
  if (useIsAdmin()) return children;
  return (
    <EmptyState icon="lock" title={t.adminsOnly}>
      {t.adminsOnlyBody}
    </EmptyState>
  );
}
