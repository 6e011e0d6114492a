import { Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient, repliesQuery, useTeams } from "../../api/queries";
import type { Reply } from "../../api/types";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { ReplyFile } from "./ReplyFile";

const mine = "mine";

export function EditReply({ reply, close }: { reply?: Reply; close: () => void }) {
  const t = useText("settings");
  const common = useText("common");
  const teams = useTeams();
  const [name, setName] = useState(reply?.name ?? "");
  const [body, setBody] = useState(reply?.body ?? "");
  const [file, setFile] = useState(reply?.media_id ?? null);
  const [scope, setScope] = useState(reply?.team_id ?? mine);
  const submit = useSubmit(
    ["name", "body", "team_id", "media_id"],
    () => {
      const values = { name, body, media_id: file, team_id: scope === mine ? null : scope };
      return reply ? send<Reply>("PATCH", `/replies/${reply.id}`, values) : send<Reply>("POST", "/replies", values);
    },
    () => {
      void queryClient.invalidateQueries(repliesQuery);
      toast(common.saved);
      close();
    },
  );
  return (
    <FormDialog title={reply ? t.editReply(reply.name) : t.replyNew} action={common.save} close={close} submit={submit}>
      <TextInput
        required
        label={t.name}
        data-autofocus
        maxLength={100}
        {...submit.field("name", name, setName)}
      />
      <Textarea
        required
        label={t.body}
        description={t.bodyHint}
        autosize
        minRows={4}
        maxRows={12}
        maxLength={4096}
        {...submit.field("body", body, setBody)}
      />
      <ReplyFile id={file} error={submit.errorOf("media_id")} team={scope === mine ? null : scope} onChange={setFile} />
      <Select
        label={t.scope}
        allowDeselect={false}
        data={[{ value: mine, label: t.scopeMine }, ...teams.map((team) => ({ value: team.id, label: team.name }))]}
        value={scope}
        error={submit.errorOf("team_id")}
        onChange={(value) => setScope(value ?? mine)}
      />
    </FormDialog>
  );
}
