import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n";
import { EmptyState } from "./EmptyState";

export function NotFound() {
  const t = useText("common");
  const action = (
    <Button component={Link} to="/inbox" variant="default">
      {t.toInbox}
    </Button>
  );
  return (
    <EmptyState icon="search" title={t.notFoundTitle} action={action}>
      {t.notFoundBody}
    </EmptyState>
  );
}
