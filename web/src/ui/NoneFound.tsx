import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../i18n";
import { EmptyState } from "./EmptyState";
import type { IconName } from "./icons";

/** A list that its filters leave empty, and the way to see all of it again. */
export function NoneFound(props: { icon: IconName; title: string; children?: ReactNode; clear: () => void }) {
  const t = useText("common");
  const action = (
    <Button variant="default" onClick={props.clear}>
      {t.clearFilters}
    </Button>
  );
  return (
    <EmptyState icon={props.icon} title={props.title} action={action}>
      {props.children}
    </EmptyState>
  );
}
