import { send } from "../../api/client";
import { queryClient, repliesQuery, useTeams } from "../../api/queries";
import type { Reply } from "../../api/types";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
import { toast, toastError } from "../../ui/toasts";
import { Row, Tag } from "../Rows";

export function ReplyRow({ reply, edit }: { reply: Reply; edit: () => void }) {
  const t = useText("settings");
  const common = useText("common");
  const teams = useTeams();
  const scope = reply.owner_id ? t.scopeMine : teams.find((team) => team.id === reply.team_id)?.name;
  const restore = async () => {
    const { name, body, media_id, team_id } = reply;
    await send("POST", "/replies", { name, body, media_id, team_id }).catch(toastError);
    await queryClient.invalidateQueries(repliesQuery);
  };
  const remove = async () => {
    try {
      await send("DELETE", `/replies/${reply.id}`);
      await queryClient.invalidateQueries(repliesQuery);
      toast(t.replyDeleted(reply.name), { undo: () => void restore() });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Row
      name={
        <>
          {reply.name}
          <Tag>{scope}</Tag>
          {reply.media_id && <Tag>{t.withFile}</Tag>}
        </>
      }
      detail={reply.body}
      actions={
        <>
          <IconButton icon="pencil" label={t.editReply(reply.name)} iconSize={18} size={36} onClick={edit} />
          <IconButton
            icon="trash"
            label={`${common.delete} ${reply.name}`}
            iconSize={18}
            size={36}
            onClick={() => void remove()}
          />
        </>
      }
    />
  );
}
