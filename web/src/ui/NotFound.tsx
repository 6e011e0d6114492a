import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n";
import { EmptyState } from "./EmptyState";
import { useTitle } from "./title";

export function NotFound() {
  const t = useText("common");
  useTitle(t.notFoundTitle);
  const action = (
    <Button component={Link} to="/inbox" variant="default">
      {t.toInbox}
    </Button>
  );
  return (
    <EmptyState page icon="search" title={t.notFoundTitle} action={action}>
      {t.notFoundBody}
    </EmptyState>
  );
}
