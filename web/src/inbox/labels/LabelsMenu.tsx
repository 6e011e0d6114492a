import { Button, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelsQuery, useMe } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { toastError } from "../../ui/toasts";
import { useLabel } from "../data/change";
import { useOpener } from "../thread/openers";
import { Dot } from "../../ui/Dot";
import styles from "../thread/HeaderMenu.module.css";

/** Labels of the conversation; the menu stays open while one chooses several. */
export function LabelsMenu({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const [opened, setOpened] = useState(false);
  useOpener("labels", () => setOpened(true));
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={220} closeOnItemClick={false} withinPortal>
      <Menu.Target>
        <Button
          size="compact-md"
          h={32}
          px={10}
          variant="default"
          className={styles.button}
          aria-label={t.labels}
          leftSection={<Icon name="label" size={16} />}
        >
          <span className={styles.text}>{t.labels}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{opened && <LabelChoices conversation={c} />}</Menu.Dropdown>
    </Menu>
  );
}

export function LabelChoices({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const team = useMe().numbers.find((n) => n.phone_number_id === c.number.phone_number_id)?.team_id;
  const labels = (useQuery(labelsQuery).data ?? []).filter((l) => !team || l.team_id === team);
  const { mutate } = useLabel();
  const chosen = new Set(c.labels.map((l) => l.id));
  if (labels.length === 0) return <Menu.Label>{t.noLabels}</Menu.Label>;
  return labels.map((label) => (
    <Menu.CheckboxItem
      key={label.id}
      checked={chosen.has(label.id)}
      rightSection={<Dot color={label.color} />}
      onChange={() => mutate({ id: c.id, label, on: !chosen.has(label.id) }, { onError: toastError })}
    >
      {label.name}
    </Menu.CheckboxItem>
  ));
}
