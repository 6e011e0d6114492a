import { Button, type ButtonProps } from "@mantine/core";

export interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Loads the next page of a list, while there is one. */
export function More({ query, text, ...props }: { query: Paged; text: string } & ButtonProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} {...props}>
      {text}
    </Button>
  );
}
