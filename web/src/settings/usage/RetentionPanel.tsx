import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, useMe } from "../../api/queries";
import { useLanguage, useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import panels from "../me/panels.module.css";
import { Panel } from "../Section";
import { choices, mostCounted, removalQuery, usageQuery, useUsageText, type Retention } from "./data";

/** Spells out what will be deleted before it is. */
function useWarning(days: number | null, retention: Retention): { text: string; deletes: boolean } | undefined {
  const t = useUsageText();
  const language = useLanguage();
  const shorter = days !== null && (retention.days === null || days < retention.days);
  const removal = useQuery({ ...removalQuery(days ?? 1), enabled: shorter }).data;
  if (!shorter) return { text: t.longer, deletes: false };
  if (!removal) return undefined;
  if (removal.messages === 0) return { text: t.confirmNone, deletes: false };
  const before = new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(removal.before));
  const count = new Intl.NumberFormat(language).format(removal.messages);
  return { text: (removal.messages >= mostCounted ? t.confirmMany : t.confirmSome)(count, before), deletes: true };
}

function Confirm({ days, name, retention, close }: { days: number | null; name: string; retention: Retention; close: () => void }) {
  const t = useUsageText();
  const common = useText("common");
  const warning = useWarning(days, retention);
  const submit = useSubmit(
    [],
    () => send<Retention>("PUT", "/usage/retention", { days }),
    () => {
      void queryClient.invalidateQueries({ queryKey: usageQuery.queryKey });
      toast(common.saved);
      close();
    },
  );
  return (
    <FormDialog
      title={t.confirmTitle(name)}
      action={warning?.deletes ? t.confirmDelete : t.confirm}
      danger={warning?.deletes}
      close={close}
      submit={{ ...submit, busy: submit.busy || !warning }}
    >
      <p role="status">{warning?.text}</p>
    </FormDialog>
  );
}

export function RetentionPanel({ retention }: { retention: Retention }) {
  const t = useUsageText();
  const owner = useMe().user.role === "owner";
  const now = retention.chosen_days === null ? "" : String(retention.chosen_days);
  const [value, setValue] = useState(now);
  const [asking, setAsking] = useState(false);
  const longest = t.planOption(retention.plan_days === null ? undefined : t.daysOption(retention.plan_days));
  const options = [{ value: "", label: longest }, ...choices(retention).map((days) => ({ value: String(days), label: t.daysOption(days) }))];
  return (
    <Panel title={t.retention} hint={t.keepHint}>
      <div className={panels.fields}>
        <NativeSelect
          label={t.keep}
          description={owner ? undefined : t.ownersOnly}
          disabled={!owner}
          value={value}
          data={options}
          onChange={(event) => setValue(event.target.value)}
        />
        {owner && (
          <div className={panels.actions}>
            <Button variant="default" disabled={value === now} onClick={() => setAsking(true)}>
              {t.change}
            </Button>
          </div>
        )}
      </div>
      {asking && (
        <Confirm
          days={value === "" ? null : Number(value)}
          name={options.find((option) => option.value === value)?.label ?? value}
          retention={retention}
          close={() => setAsking(false)}
        />
      )}
    </Panel>
  );
}
