import type { ReactNode } from "react";
import { useText } from "../i18n";
import { EmptyState } from "./EmptyState";
import type { IconName } from "./icons";
import { useTitle } from "./title";

/** What the address names is not there, or not for this person to see: said in words, with the way back. */
export function Missing(props: { icon: IconName; title: string; page?: boolean; children?: ReactNode; back?: ReactNode }) {
  const t = useText("common");
  useTitle(props.title);
  return (
    <EmptyState page={props.page} icon={props.icon} title={props.title} action={props.back}>
      {props.children ?? t.missingBody}
    </EmptyState>
  );
}
