import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorState } from "./ErrorState";
import { Later } from "./Later";

/** What a query has, or that it is on its way, or why it did not come. What was there stays while it is fetched again. */
export function Loaded<T>(props: { query: UseQueryResult<T>; rows?: number; children: (data: T) => ReactNode }) {
  const { query, rows = 4 } = props;
  if (query.data !== undefined) return props.children(query.data);
  if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return (
    <Later>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={44} mb={12} radius={9} />
      ))}
    </Later>
  );
}
