import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { send } from "../../api/client";
import { queryClient, sessionsQuery } from "../../api/queries";
import { useText } from "../../i18n";
import { Loaded } from "../../ui/Loaded";
import { Parts } from "../../ui/Parts";
import { Time } from "../../ui/Time";
import { toast, toastError } from "../../ui/toasts";
import { Row, Rows, Tag } from "../Rows";
import { Panel } from "../Section";
import { clientName } from "./clientName";

export function SessionsPanel() {
  const t = useText("settings");
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: () => send("DELETE", "/me/sessions"),
    onSuccess: () => {
      void queryClient.invalidateQueries(sessionsQuery);
      toast(t.othersEnded);
    },
    onError: toastError,
  });
  return (
    <Panel title={t.sessions}>
      <Loaded query={sessions} rows={2}>
        {(list) => (
          <>
            <Rows label={t.sessions}>
              {list.map((session) => (
                <Row
                  key={session.id}
                  name={
                    <>
                      <span title={session.client}>{clientName(session.client)}</span>
                      {session.current && <Tag>{t.sessionCurrent}</Tag>}
                    </>
                  }
                  detail={
                    <Parts>
                      {session.address}
                      <>{t.sessionSeen} <Time value={session.seen_at} relative /></>
                    </Parts>
                  }
                />
              ))}
            </Rows>
            <Button variant="default" mt={14} loading={end.isPending} disabled={list.length < 2} onClick={() => end.mutate()}>
              {t.endOthers}
            </Button>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
