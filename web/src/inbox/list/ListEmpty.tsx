import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { usePlace } from "../place";

/** Why the list is empty, and the one thing to do about it. */
export function ListEmpty() {
  const t = useText("inbox");
  const { view, search, show } = usePlace();
  const me = useMe();
  const filtered = Object.entries(search).some(
    ([name, value]) => name !== "item" && name !== "sort" && value !== undefined,
  );
  if (filtered)
    return (
      <EmptyState
        icon="filter"
        title={t.emptyFiltered}
        action={
          <Button variant="default" onClick={() => show({ search: {} })}>
            {t.clearFilters}
          </Button>
        }
      />
    );
  if (view === "mine")
    return (
      <EmptyState
        icon="check"
        title={t.emptyMine}
        action={
          <Button variant="default" onClick={() => show({ view: "unassigned" })}>
            {t.showUnassigned}
          </Button>
        }
      />
    );
  return (
    <EmptyState
      icon="inbox"
      title={t.empty[view]}
      action={
        view === "all" &&
        me.simulator && (
          <Button variant="default" component={Link} to="/phone">
            {t.writeFromPhone}
          </Button>
        )
      }
    />
  );
}
