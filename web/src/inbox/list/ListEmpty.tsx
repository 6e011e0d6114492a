import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { countsQuery, useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { NoneFound } from "../../ui/NoneFound";
import { NoNumber } from "../../ui/NoNumber";
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
  if (filtered) return <NoneFound icon="filter" title={t.emptyFiltered} clear={() => show({ search: {} })} />;
  if (me.numbers.length === 0) return <NoNumber icon="sim">{t.noNumberHint}</NoNumber>;
  if (me.user.sees === "assigned" && view !== "mentions" && view !== "snoozed")
    return <EmptyState icon="inbox" title={t.empty.mine}>{t.emptyAssigned}</EmptyState>;
  const phone = me.simulator && nothing && view !== "mentions" && view !== "snoozed";
  if (phone) return <EmptyState icon="inbox" title={t.empty.all} action={<WriteFromPhone />}>{t.emptyHint.all}</EmptyState>;
  return (
    <EmptyState icon={view === "mine" ? "check" : "inbox"} title={t.empty[view]} action={<Elsewhere />}>
      {t.emptyHint[view]}
    </EmptyState>
  );
}

/** Where there may be something when this view is empty. */
function Elsewhere() {
  const t = useText("inbox");
  const { view, show } = usePlace();
  if (view === "mine") return <Button variant="default" onClick={() => show({ view: "unassigned" })}>{t.showUnassigned}</Button>;
  if (view === "all") return <Button variant="default" onClick={() => show({ search: { status: "resolved" } })}>{t.showResolved}</Button>;
  return <Button variant="default" onClick={() => show({ view: "all" })}>{t.showAll}</Button>;
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
