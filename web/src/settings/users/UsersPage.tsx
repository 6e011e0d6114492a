import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usersQuery } from "../../api/queries";
import type { Link, User } from "../../api/types";
import { useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { AdminsOnly } from "../AdminsOnly";
import { Rows } from "../Rows";
import { Section } from "../Section";
import { DisableUser } from "./DisableUser";
import { EditUser } from "./EditUser";
import { InviteUser } from "./InviteUser";
import { LinkDialog } from "./LinkDialog";
import { TakeOffSecondStep } from "./TakeOffSecondStep";
import { UserRow } from "./UserRow";

/** Which dialog is open: it is about nobody yet, about a user, or shows a link that was made. */
type Dialog = { kind: "invite" } | { kind: "edit" | "disable" | "takeOff"; user: User } | { kind: "link"; user: User; link: Link };

export default function UsersPage() {
  return (
    <AdminsOnly>
      <Users />
    </AdminsOnly>
  );
}

function Users() {
  const t = useText("settings");
  const users = useQuery(usersQuery);
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const showLink = (user: User, link: Link) => setDialog({ kind: "link", user, link });
  const invite = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({ kind: "invite" })}>
      {t.invite}
    </Button>
  );
  return (
    <Section title={t.users} action={invite}>
      <Loaded query={users}>
        {(list) => (
          <Rows label={t.users}>
            {list.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                edit={() => setDialog({ kind: "edit", user })}
                disable={() => setDialog({ kind: "disable", user })}
                takeOff={() => setDialog({ kind: "takeOff", user })}
                showLink={showLink}
              />
            ))}
          </Rows>
        )}
      </Loaded>
      {dialog?.kind === "invite" && <InviteUser close={close} showLink={showLink} />}
      {dialog?.kind === "edit" && <EditUser user={dialog.user} close={close} />}
      {dialog?.kind === "disable" && <DisableUser user={dialog.user} close={close} />}
      {dialog?.kind === "takeOff" && <TakeOffSecondStep user={dialog.user} close={close} />}
      {dialog?.kind === "link" && <LinkDialog user={dialog.user} link={dialog.link} close={close} />}
    </Section>
  );
}
