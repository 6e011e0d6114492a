import type { ReactNode } from "react";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { EmptyState } from "./EmptyState";
import type { IconName } from "./icons";
import { LinkButton } from "./LinkButton";

/** A page that is of no use before a number is connected: why, and the way to connect one. */
export function NoNumber({ icon, children }: { icon: IconName; children: ReactNode }) {
  const t = useText("inbox");
  const action = useIsAdmin() && <LinkButton to="/numbers">{t.toNumbers}</LinkButton>;
  return (
    <EmptyState icon={icon} title={t.noNumber} action={action}>
      {children}
    </EmptyState>
  );
}
