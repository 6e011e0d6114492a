import { TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { labelsQuery, queryClient } from "../../api/queries";
import { labelColors, type Label, type LabelColor } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { Dot } from "../../ui/Dot";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { TeamSelect, useTeamChoice } from "../TeamSelect";
import styles from "./EditLabel.module.css";

function Colors({ value, change }: { value: LabelColor; change: (color: LabelColor) => void }) {
  const t = useText("settings");
  return (
    <fieldset className={styles.colors}>
      <legend>{t.color}</legend>
      {labelColors.map((color) => (
        <label key={color} title={t.colorNames[color]}>
          <input type="radio" name="color" checked={color === value} onChange={() => change(color)} />
          <Dot color={color} />
          <span className="visually-hidden">{t.colorNames[color]}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function EditLabel({ label, close }: { label?: Label; close: () => void }) {
  const t = useText("settings");
  const common = useText("common");
  const choice = useTeamChoice();
  const [name, setName] = useState(label?.name ?? "");
  const [color, setColor] = useState<LabelColor>(label?.color ?? "teal");
  const submit = useSubmit(
    ["name", "team_id"],
    () =>
      label
        ? send<Label>("PATCH", `/labels/${label.id}`, { name, color })
        : send<Label>("POST", "/labels", { name, color, team_id: choice.team }),
    () => {
      void queryClient.invalidateQueries(labelsQuery);
      toast(common.saved);
      close();
    },
  );
  return (
    <FormDialog title={label ? t.editLabel(label.name) : t.labelNew} action={common.save} close={close} submit={submit}>
      <TextInput
        required
        label={t.name}
        data-autofocus
        maxLength={50}
        {...submit.field("name", name, setName)}
      />
      <Colors value={color} change={setColor} />
      {!label && <TeamSelect choice={choice} error={submit.errorOf("team_id")} />}
    </FormDialog>
  );
}
