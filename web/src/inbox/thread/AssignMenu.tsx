import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { peopleQuery, useMe } from "../../api/queries";
import type { Conversation, Named } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { Icon } from "../../ui/icons";
import { toast } from "../../ui/toasts";
import { useChange } from "../data/change";
import { HeaderMenu } from "./HeaderMenu";
import styles from "./HeaderMenu.module.css";

/** Whose the conversation is. */
export function AssignMenu({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  return (
    <HeaderMenu
      opener="assign"
      label={t.assign}
      title={c.assignee ? t.assignedTo(c.assignee.name) : t.assign}
      icon={c.assignee ? <Avatar name={c.assignee.name} size={18} /> : <Icon name="person" size={16} />}
      text={<span className={styles.text}>{c.assignee?.name.split(" ")[0] ?? t.assign}</span>}
      width={240}
    >
      {() => <Choices conversation={c} />}
    </HeaderMenu>
  );
}

function Choices({ conversation: c }: { conversation: Conversation }) {
  const t = useText("inbox");
  const me = useMe();
  const people = useQuery(peopleQuery).data ?? [];
  const change = useChange();
  const assign = (person: Named | null) => {
    const give = (to: Named | null) => change(c.id, { assigned_to: to?.id ?? null, assignee: to && { id: to.id, name: to.name } });
    const undo = () => void give(c.assignee);
    const said = person ? (person.id === me.user.id ? t.assignedToMe : t.assignedTo(person.name)) : t.unassigned;
    void give(person).then((done) => done && toast(said, { undo }));
  };
  const others = people.filter((p) => !p.disabled && p.id !== me.user.id);
  return (
    <>
      {c.assignee?.id !== me.user.id && (
        <Menu.Item leftSection={<Avatar name={me.user.name} size={20} />} onClick={() => assign(me.user)}>
          {t.assignToMe}
        </Menu.Item>
      )}
      {c.assignee && (
        <Menu.Item leftSection={<Icon name="close" size={18} />} onClick={() => assign(null)}>
          {t.unassign}
        </Menu.Item>
      )}
      {others.length > 0 && <Menu.Divider />}
      {others.map((person) => (
        <Menu.Item
          key={person.id}
          leftSection={<Avatar name={person.name} size={20} />}
          rightSection={person.id === c.assignee?.id ? <Icon name="check" size={16} /> : person.away && <small>{t.isAway}</small>}
          onClick={() => assign(person)}
        >
          {person.name}
        </Menu.Item>
      ))}
    </>
  );
}
