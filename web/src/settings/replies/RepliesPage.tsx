import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { repliesQuery } from "../../api/queries";
import type { Reply } from "../../api/types";
import { useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { Rows } from "../Rows";
import { Section } from "../Section";
import { EditReply } from "./EditReply";
import { ReplyRow } from "./ReplyRow";

export default function RepliesPage() {
  const t = useText("settings");
  const replies = useQuery(repliesQuery);
  const [edited, setEdited] = useState<Reply | "new">();
  const add = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setEdited("new")}>
      {t.replyNew}
    </Button>
  );
  return (
    <Section title={t.replies} hint={t.repliesHint} action={Boolean(replies.data?.length) && add}>
      <Loaded query={replies}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="reply" title={t.repliesNone} action={add}>
              {t.repliesNoneHint}
            </EmptyState>
          ) : (
            <Rows label={t.replies}>
              {list.map((reply) => (
                <ReplyRow key={reply.id} reply={reply} edit={() => setEdited(reply)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {edited && <EditReply reply={edited === "new" ? undefined : edited} close={() => setEdited(undefined)} />}
    </Section>
  );
}
