import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNumbers } from "../../api/numbers";
import { labelsQuery, peopleQuery, useMe } from "../../api/queries";
import { useText } from "../../i18n";
import { Dot } from "../../ui/Dot";
import { useLabelChoices } from "../../ui/labelNames";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import { useBulk } from "../data/bulk";
import { conversationsQuery, matchingQuery } from "../data/conversations";
import { usePlace } from "../place";
import { clearSelection, selectAll, useSelection } from "./selection";
import styles from "./BulkBar.module.css";

/** In the place of the tabs while conversations are chosen. */
export default function BulkBar() {
  const t = useText("inbox");
  const { filter } = usePlace();
  const { selected, all } = useSelection();
  const { change, busy } = useBulk(filter);
  const count = useQuery(matchingQuery(filter)).data?.count;
  return (
    <div className={styles.bar} role="toolbar" aria-label={t.selected(selected.size)}>
      <span className={styles.count} aria-live="polite">
        {all ? t.allMatching(count) : t.selected(selected.size)}
      </span>
      {!all && (
        <Tooltip label={t.selectAllMatching(count)}>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t.selectAllMatching(count)}
            onClick={selectAll}
          >
            {t.selectAll(count)}
          </Button>
        </Tooltip>
      )}
      <span className={styles.space} />
      <Tooltip label={t.resolve}>
        <ActionIcon size={28} aria-label={t.resolve} loading={busy} onClick={() => change({ status: "resolved" })}>
          <Icon name="check" size={18} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <IconButton icon="dots" label={t.moreActions} iconSize={18} size={28} disabled={busy} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => change({ status: "open" })}>{t.reopen}</Menu.Item>
          <Menu.Item onClick={() => change({ unread: true })}>{t.markUnread}</Menu.Item>
          <Menu.Item onClick={() => change({ until_reply: true })}>{`${t.snooze}: ${t.untilReply}`}</Menu.Item>
          <People onChoose={(assigned_to) => change({ assigned_to })} />
          <Labels onChoose={(label_id) => change({ label_id })} />
        </Menu.Dropdown>
      </Menu>
      <IconButton icon="close" label={t.endSelection} iconSize={18} size={28} onClick={clearSelection} />
    </div>
  );
}

function People({ onChoose }: { onChoose: (id: string | null) => void }) {
  const t = useText("inbox");
  const people = useQuery(peopleQuery).data ?? [];
  return (
    <>
      <Menu.Label>{t.assign}</Menu.Label>
      <Menu.Item onClick={() => onChoose(null)}>{t.nobody}</Menu.Item>
      {people
        .filter((p) => !p.disabled)
        .map((p) => (
          <Menu.Item key={p.id} onClick={() => onChoose(p.id)}>
            {p.name}
          </Menu.Item>
        ))}
    </>
  );
}

/** The teams of what is chosen: labels of others would be put on nothing. Empty where they are not known. */
function useChosenTeams(): Set<string> {
  const { numbers, more_numbers } = useMe();
  const { filter } = usePlace();
  const { selected, all } = useSelection();
  const rows = useInfiniteQuery(conversationsQuery(filter)).data?.pages.flatMap((page) => page.data) ?? [];
  const chosen = rows.filter((c) => selected.has(c.id)).map((c) => c.number.phone_number_id);
  const narrowed = all ? (filter.number ? [filter.number] : []) : [...new Set(chosen)];
  const found = useNumbers(narrowed).flatMap(({ number }) => number ?? []);
  if (all && !filter.number) return new Set(more_numbers ? [] : numbers.map((n) => n.team_id));
  return new Set(found.length < narrowed.length ? [] : found.map((n) => n.team_id));
}

function Labels({ onChoose }: { onChoose: (id: string) => void }) {
  const t = useText("inbox");
  const teams = useChosenTeams();
  const all = useQuery(labelsQuery).data ?? [];
  const labels = useLabelChoices(all.filter((label) => teams.size === 0 || teams.has(label.team_id)));
  if (labels.length === 0) return null;
  return (
    <>
      <Menu.Label>{t.labels}</Menu.Label>
      {labels.map((l) => (
        <Menu.Item key={l.value} leftSection={<Dot color={l.color} />} onClick={() => onChoose(l.value)}>
          {l.label}
        </Menu.Item>
      ))}
    </>
  );
}
