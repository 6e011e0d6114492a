import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isMissing } from "../api/client";
import { ErrorState } from "./ErrorState";
import { RowsSkeleton } from "./RowsSkeleton";

interface Props<T> {
  query: UseQueryResult<T>;
  rows?: number;
  /** What is shown where there is no such thing: see Missing. */
  missing?: ReactNode;
  children: (data: T) => ReactNode;
}

/** What a query has, or that it is on its way, or why it did not come. What was there stays while it is fetched again. */
export function Loaded<T>(props: Props<T>) {
  const { query, rows = 4 } = props;
  if (props.missing && isMissing(query.error)) return props.missing; // also where it was there a moment ago
  if (query.data !== undefined) return props.children(query.data);
  if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return <RowsSkeleton rows={rows} />;
}
