import { Button, Menu, Progress } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { send } from "../api/client";
import { useNumber } from "../api/numbers";
import { labelsQuery, useIsAdmin, useMe } from "../api/queries";
import { useLanguage, useText } from "../i18n";
import { Dot } from "../ui/Dot";
import { useLabelChoices } from "../ui/labelNames";
import { Modal } from "../ui/Modal";
import { Icon } from "../ui/icons";
import { toast, toastError } from "../ui/toasts";
import type { Selection } from "./ContactTable";
import { bodyOf, contactsQuery, percent, underWay, useJob, type ContactsSearch, type Job } from "./data";

/** What can be done with those who are chosen, and how far it is. */
export function BulkBar(props: { search: ContactsSearch; selection: Selection; count: number; select: (selection: Selection) => void }) {
  const t = useText("contacts");
  const format = new Intl.NumberFormat(useLanguage());
  const admin = useIsAdmin();
  const [jobId, setJobId] = useState<string>();
  const [asking, setAsking] = useState(false);
  const { selection, select } = props;
  const clear = () => select({ ids: new Set(), all: false });
  const ended = useCallback((job: Job) => {
    setJobId(undefined);
    if (job.status === "failed") toast(`${t.jobFailed}: ${job.reason}`, { kind: "error" });
    else toast(job.kind === "delete" ? t.deleted(String(job.changed)) : t.labelled(String(job.changed), job.failed));
  }, [t]);
  const job = useJob(jobId, ended);
  const teams = useChosenTeams(props.search, selection);
  const chosen = selection.all ? props.count : selection.ids.size;
  const change = (what: Record<string, unknown>) => {
    const whom = selection.all ? { filter: bodyOf(props.search) } : { ids: [...selection.ids] };
    send<Job>("POST", "/contacts/bulk", { ...whom, change: what }).then((begun) => {
      setJobId(begun.id);
      clear();
    }, toastError);
  };
  if (job && underWay(job)) return <JobProgress job={job} />;
  if (chosen === 0) return null;
  return (
    <>
      <span role="status">{t.selected(format.format(chosen))}</span>
      {!selection.all && props.count > selection.ids.size && (
        <Button variant="subtle" size="compact-md" onClick={() => select({ ids: selection.ids, all: true })}>
          {t.selectAll(format.format(props.count))}
        </Button>
      )}
      <LabelMenu name={t.addLabel} teams={teams} pick={(label) => change({ label_id: label })} />
      <LabelMenu name={t.removeLabel} teams={teams} pick={(label) => change({ remove_label_id: label })} />
      {admin && <Button variant="default" size="compact-md" c="var(--red)" onClick={() => setAsking(true)}>{t.remove}</Button>}
      <Button variant="subtle" color="gray" size="compact-md" onClick={clear}>{t.unselect}</Button>
      {asking && (
        <ConfirmDelete count={format.format(chosen)} close={() => setAsking(false)} confirm={() => change({ delete: true })} />
      )}
    </>
  );
}

export function JobProgress({ job }: { job: Job }) {
  const t = useText("contacts");
  const what = job.status === "undoing" ? t.undoing : { import: t.importing, label: t.labelling, delete: t.deleting }[job.kind];
  return (
    <div role="status" style={{ flex: 1 }}>
      {what} · {t.progress(String(percent(job)))}
      <Progress value={percent(job)} aria-label={what} />
    </div>
  );
}

/** The teams of who is chosen: labels of others would be put on nobody. Empty where they are not known. */
function useChosenTeams(search: ContactsSearch, { ids, all }: Selection): Set<string> {
  const { numbers, more_numbers } = useMe();
  const { number } = useNumber(search.number);
  const rows = useInfiniteQuery(contactsQuery(search)).data?.pages.flatMap((page) => page.data) ?? [];
  if (!all) return new Set(rows.filter((c) => ids.has(c.id)).map((c) => c.team_id));
  if (search.number) return new Set(number && [number.team_id]);
  return new Set(more_numbers ? [] : numbers.map((n) => n.team_id));
}

function LabelMenu({ name, teams, pick }: { name: string; teams: Set<string>; pick: (label: string) => void }) {
  const all = useQuery(labelsQuery).data ?? [];
  const labels = useLabelChoices(all.filter((label) => teams.size === 0 || teams.has(label.team_id)));
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <Button variant="default" size="compact-md" leftSection={<Icon name="label" size={16} />}>{name}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {labels.map((label) => (
          <Menu.Item key={label.value} leftSection={<Dot color={label.color} />} onClick={() => pick(label.value)}>{label.label}</Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Asks before what cannot be undone. */
export function ConfirmDelete(props: { count: string; close: () => void; confirm: () => void }) {
  const t = useText("contacts");
  const common = useText("common");
  return (
    <Modal onClose={props.close} title={t.removeTitle(props.count)} closeButtonProps={{ "aria-label": common.close }}>
      <p>{t.removeHint}</p>
      <Button.Group style={{ justifyContent: "flex-end", gap: 8 }}>
        <Button variant="default" onClick={props.close}>{common.cancel}</Button>
        <Button color="red" onClick={() => { props.close(); props.confirm(); }}>{t.remove}</Button>
      </Button.Group>
    </Modal>
  );
}
