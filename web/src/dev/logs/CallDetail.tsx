import { useQuery } from "@tanstack/react-query";
import { CopyId } from "../../inbox/context/CopyId";
import { Loaded } from "../../ui/Loaded";
import { Missing } from "../../ui/Missing";
import { keysQuery } from "../keys/data";
import { Clock } from "../parts/Clock";
import styles from "../parts/console.module.css";
import { duration } from "../parts/format";
import { Aside } from "../parts/Split";
import { StoryLink } from "../parts/StoryLink";
import { useDev } from "../text";
import { callQuery, kindOf, type Call } from "./data";

function Facts({ call }: { call: Call }) {
  const t = useDev();
  const key = useQuery(keysQuery).data?.find(({ id }) => id === call.key_id);
  return (
    <dl className={styles.facts}>
      <dt>{t.request}</dt>
      <dd>
        <CopyId value={call.id} />
      </dd>
      <dt>{t.path}</dt>
      <dd className="mono">
        {call.method} {call.path}
      </dd>
      <dt>{t.status}</dt>
      <dd>
        <span className={styles.state} data-kind={kindOf(call.status)}>
          {call.status}
        </span>
      </dd>
      <dt>{t.when}</dt>
      <dd>
        <Clock value={call.created_at} /> · {duration(call.latency_ms)}
      </dd>
      <dt>{t.key}</dt>
      <dd>{key ? `${key.name} (…${key.last4})` : call.key_id}</dd>
      <dt>{t.address}</dt>
      <dd>{call.ip}</dd>
      {call.code && (
        <>
          <dt>{t.code}</dt>
          <dd className="mono">{call.code}</dd>
          <dt>{t.message}</dt>
          <dd>{call.message}</dd>
        </>
      )}
      {call.param && (
        <>
          <dt>{t.field}</dt>
          <dd className="mono">{call.param}</dd>
        </>
      )}
    </dl>
  );
}

/** One call, with the way to all that it caused. */
export function CallDetail({ id, close }: { id: string; close: () => void }) {
  const t = useDev();
  const query = useQuery(callQuery(id));
  return (
    <Aside title={query.data ? `${query.data.method} ${query.data.status}` : t.request} label={t.request} close={close}>
      <Loaded query={query} missing={<Missing icon="code" title={t.requestMissing}>{t.missingHint}</Missing>}>
        {(call) => (
          <>
            <Facts call={call} />
            <h3>{t.story}</h3>
            <dl className={styles.facts}>
              <dt>{t.made}</dt>
              <dd>{call.made ? <StoryLink id={call.made} /> : t.madeNothing}</dd>
              <dt>{t.wholeStory}</dt>
              <dd>
                <StoryLink id={call.id} />
              </dd>
            </dl>
          </>
        )}
      </Loaded>
    </Aside>
  );
}
