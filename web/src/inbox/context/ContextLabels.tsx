import { Menu } from "@mantine/core";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { useLabel } from "../data/change";
import { LabelChoices } from "../labels/LabelsMenu";
import { Dot } from "../../ui/Dot";
import styles from "./ContextLabels.module.css";

/** The conversation's labels, which can be taken off, and the contact's beside them. */
export function ContextLabels({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const { mutate } = useLabel();
  return (
    <div className={styles.labels}>
      {c.labels.map((label) => (
        <span key={label.id} className={styles.label}>
          <Dot color={label.color} />
          {label.name}
          <button
            type="button"
            aria-label={t.removeLabel(label.name)}
            onClick={() => mutate({ id: c.id, label, on: false })}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      {c.contact_labels.map((label) => (
        <span key={`contact ${label.id}`} className={styles.label} title={t.contactLabel}>
          <Dot color={label.color} />
          {label.name}
          <Icon name="person" size={12} />
        </span>
      ))}
      <Menu position="bottom-start" width={220} closeOnItemClick={false}>
        <Menu.Target>
          <button type="button" className={styles.add}>
            {t.addLabel}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <LabelChoices conversation={c} />
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
