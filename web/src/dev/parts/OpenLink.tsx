import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** Opens one thing of a list beside it, and keeps the list as it is narrowed. */
export function OpenLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link to="." search={((old: object) => ({ ...old, id })) as never} activeProps={{}}>
      {children}
    </Link>
  );
}
