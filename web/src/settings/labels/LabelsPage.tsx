import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelsQuery, useIsAdmin, useTeams } from "../../api/queries";
import type { Label } from "../../api/types";
import { useText } from "../../i18n";
import { Dot } from "../../ui/Dot";
import { EmptyState } from "../../ui/EmptyState";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { Row, Rows } from "../Rows";
import { Section } from "../Section";
import { DeleteLabel } from "./DeleteLabel";
import { EditLabel } from "./EditLabel";

type Dialog = { kind: "edit"; label?: Label } | { kind: "delete"; label: Label };

function LabelRow({ label, open }: { label: Label; open: (dialog: Dialog) => void }) {
  const t = useText("settings");
  const common = useText("common");
  const teams = useTeams();
  const admin = useIsAdmin();
  const team = teams.length > 1 && teams.find((team) => team.id === label.team_id)?.name;
  return (
    <Row
      mark={<Dot color={label.color} />}
      name={label.name}
      aside={team}
      actions={
        admin && <>
          <IconButton
            icon="pencil"
            label={t.editLabel(label.name)}
            iconSize={18}
            size={36}
            onClick={() => open({ kind: "edit", label })}
          />
          <IconButton
            icon="trash"
            label={`${common.delete} ${label.name}`}
            iconSize={18}
            size={36}
            onClick={() => open({ kind: "delete", label })}
          />
        </>
      }
    />
  );
}

export default function LabelsPage() {
  const t = useText("settings");
  const labels = useQuery(labelsQuery);
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const add = useIsAdmin() && (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({ kind: "edit" })}>
      {t.labelNew}
    </Button>
  );
  return (
    <Section title={t.labels} hint={t.labelsHint} action={Boolean(labels.data?.length) && add}>
      <Loaded query={labels}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="label" title={t.labelsNone} action={add}>
              {t.labelsNoneHint}
            </EmptyState>
          ) : (
            <Rows label={t.labels}>
              {list.map((label) => (
                <LabelRow key={label.id} label={label} open={setDialog} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {dialog?.kind === "edit" && <EditLabel label={dialog.label} close={close} />}
      {dialog?.kind === "delete" && <DeleteLabel label={dialog.label} close={close} />}
    </Section>
  );
}
