import { Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { send } from "../../api/client";
import { queryClient, useMe, usersQuery, useTeams } from "../../api/queries";
import type { Link, User } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { IconButton } from "../../ui/IconButton";
import { Parts } from "../../ui/Parts";
import { Icon } from "../../ui/icons";
import { toast, toastError } from "../../ui/toasts";
import { Row, Tag } from "../Rows";
import { useSecurity } from "../security/text";

/** What an admin can do with somebody's account besides editing it. */
function useUserActions(user: User, showLink: (user: User, link: Link) => void) {
  const t = useText("settings");
  const enable = useMutation({
    mutationFn: () => send("PATCH", `/users/${user.id}`, { disabled: false }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      toast(t.userEnabled(user.name));
    },
    onError: toastError,
  });
  const link = useMutation({
    mutationFn: () => send<Link>("POST", `/users/${user.id}/link`),
    onSuccess: (made) => showLink(user, made),
    onError: toastError,
  });
  const signOut = useMutation({
    mutationFn: () => send("DELETE", `/users/${user.id}/sessions`),
    onSuccess: () => toast(t.sessionsEnded(user.name)),
    onError: toastError,
  });
  return { enable: enable.mutate, makeLink: link.mutate, signOut: signOut.mutate };
}

interface Props {
  user: User;
  edit: () => void;
  disable: () => void;
  takeOff: () => void;
  showLink: (user: User, link: Link) => void;
}

export function UserRow(props: Props) {
  const { user } = props;
  const t = useText("settings");
  const common = useText("common");
  const security = useSecurity();
  const me = useMe();
  const teams = useTeams();
  const names = teams.filter((team) => user.teams.includes(team.id)).map((team) => team.name);
  return (
    <Row
      mark={<Avatar name={user.name} id={user.id} size={36} />}
      name={
        <>
          {user.name}
          {user.id === me.user.id && <Tag>{common.you}</Tag>}
          {user.disabled ? <Tag kind="red">{t.disabled}</Tag> : user.invited && <Tag kind="amber">{t.invited}</Tag>}
          {user.second_step && <Tag kind="green">{security.twoStep}</Tag>}
          {user.away && !user.disabled && <Tag>{t.away}</Tag>}
        </>
      }
      detail={<Parts>{[t.roleNames[user.role], user.email, ...(teams.length > 1 ? names : [])]}</Parts>}
      aside={t.seesNames[user.sees]}
      actions={
        (user.role !== "owner" || me.user.role === "owner") && <>
          <IconButton icon="pencil" label={t.editUser(user.name)} iconSize={18} size={36} onClick={props.edit} />
          <ActionsMenu {...props} />
        </>
      }
    />
  );
}

function ActionsMenu({ user, disable, takeOff, showLink }: Props) {
  const t = useText("settings");
  const security = useSecurity();
  const self = user.id === useMe().user.id;
  const actions = useUserActions(user, showLink);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton icon="dots" label={t.actionsFor(user.name)} iconSize={18} size={36} />
      </Menu.Target>
      <Menu.Dropdown>
        {!self && (
          <Menu.Item leftSection={<Icon name="link" size={18} />} onClick={() => actions.makeLink()}>
            {user.invited ? t.inviteAgain : t.resetLink}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="leave" size={18} />} onClick={() => actions.signOut()}>
          {t.endSessions}
        </Menu.Item>
        {user.second_step && !self && (
          <Menu.Item leftSection={<Icon name="phone" size={18} />} onClick={takeOff}>
            {security.takeOff}
          </Menu.Item>
        )}
        {!self && (
          <Menu.Item leftSection={<Icon name="lock" size={18} />} onClick={() => (user.disabled ? actions.enable() : disable())}>
            {user.disabled ? t.enable : t.disable}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
