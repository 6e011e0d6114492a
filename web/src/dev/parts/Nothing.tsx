import type { ReactNode } from "react";
import { EmptyState } from "../../ui/EmptyState";
import type { IconName } from "../../ui/icons";
import { NoneFound } from "../../ui/NoneFound";
import { useDev } from "../text";
import { narrowingOf, useFilters } from "./filters";

/** A list of the console that is empty: by its filters, which can be taken away, or because nothing has happened yet. */
export function Nothing(props: { icon: IconName; title: string; hint?: string; first?: ReactNode }) {
  const t = useDev();
  const [filters, change] = useFilters();
  const narrowing = narrowingOf(filters);
  if (narrowing.length > 0) {
    return <NoneFound icon={props.icon} title={t.noneFits} clear={() => change(Object.fromEntries(narrowing.map((name) => [name, undefined])))} />;
  }
  return (
    <EmptyState icon={props.icon} title={props.title} action={props.first}>
      {props.hint}
    </EmptyState>
  );
}
