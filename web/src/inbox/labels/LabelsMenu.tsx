import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNumber } from "../../api/numbers";
import { labelsQuery } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useLabel } from "../data/change";
import { HeaderMenu } from "../thread/HeaderMenu";
import { Dot } from "../../ui/Dot";
import styles from "../thread/HeaderMenu.module.css";

/** Labels of the conversation; the menu stays open while one chooses several. */
export function LabelsMenu({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  return (
    <HeaderMenu
      opener="labels"
      label={t.labels}
      icon={<Icon name="label" size={16} />}
      text={<span className={styles.text}>{t.labels}</span>}
      width={220}
      closeOnItemClick={false}
    >
      {() => <LabelChoices conversation={c} />}
    </HeaderMenu>
  );
}

export function LabelChoices({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const { number, coming } = useNumber(c.number.phone_number_id);
  const labels = (useQuery(labelsQuery).data ?? []).filter((l) => !number || l.team_id === number.team_id);
  const { mutate } = useLabel();
  const chosen = new Set(c.labels.map((l) => l.id));
  if (coming) return null;
  if (labels.length === 0) return <Menu.Label>{t.noLabels}</Menu.Label>;
  return labels.map((label) => (
    <Menu.CheckboxItem
      key={label.id}
      checked={chosen.has(label.id)}
      rightSection={<Dot color={label.color} />}
      onChange={() => mutate({ id: c.id, label, on: !chosen.has(label.id) })}
    >
      {label.name}
    </Menu.CheckboxItem>
  ));
}
