import { Skeleton } from "@mantine/core";
import { Later } from "./Later";

/** Rows that are on their way. */
export function RowsSkeleton({ rows = 6, height = 44 }: { rows?: number; height?: number }) {
  return (
    <Later>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} mb={12} radius={9} />
      ))}
    </Later>
  );
}
