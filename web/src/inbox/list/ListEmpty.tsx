import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { countsQuery, useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { openDrawer } from "../../phone/drawer";
import { usePhoneBeside } from "../../phone/usePhoneBeside";
import { usePlace } from "../place";

/** Why the list is empty, and the one thing to do about it. */
export function ListEmpty() {
  const t = useText("inbox");
  const { view, search, show } = usePlace();
  const me = useMe();
  const nothing = useQuery(countsQuery()).data?.all.open === 0;
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
  if (me.numbers.length === 0)
    return (
      <EmptyState
        icon="sim"
        title={t.noNumber}
        action={
          <Button variant="default" component={Link} to="/numbers">
            {t.toNumbers}
          </Button>
        }
      />
    );
  const phone = me.simulator && nothing && view !== "mentions" && view !== "snoozed";
  if (phone) return <EmptyState icon="inbox" title={t.empty.all} action={<WriteFromPhone />} />;
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
  return <EmptyState icon="inbox" title={t.empty[view]} />;
}

/** How a newcomer gets the first message. */
function WriteFromPhone() {
  const t = useText("inbox");
  if (usePhoneBeside())
    return (
      <Button variant="default" onClick={() => openDrawer(true)}>
        {t.writeFromPhone}
      </Button>
    );
  return (
    <Button variant="default" component={Link} to="/phone">
      {t.writeFromPhone}
    </Button>
  );
}
