import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CopyId } from "../../inbox/context/CopyId";
import { Loaded } from "../../ui/Loaded";
import { Missing } from "../../ui/Missing";
import { DeliveryState } from "../deliveries/DeliveryState";
import { Clock } from "../parts/Clock";
import styles from "../parts/console.module.css";
import { Json } from "../parts/Json";
import { Aside } from "../parts/Split";
import { StoryLink } from "../parts/StoryLink";
import { useDev } from "../text";
import { useEndpointName } from "../webhooks/data";
import { eventQuery, type DeliveryHead } from "./data";

function Deliveries({ list }: { list: DeliveryHead[] }) {
  const t = useDev();
  const nameOf = useEndpointName();
  if (list.length === 0) return <p>{t.deliveredNowhere}</p>;
  return (
    <ul className={styles.times}>
      {list.map((delivery) => (
        <li key={delivery.id} data-kind={{ succeeded: undefined, pending: "wait", failed: "bad", dead: "bad" }[delivery.status]}>
          <DeliveryState delivery={delivery} plain /> · {nameOf(delivery.subscription_id)}
          <small>
            <Clock value={delivery.created_at} /> ·{" "}
            <Link to="/dev/deliveries" search={{ id: delivery.id }} className="mono">
              {delivery.id}
            </Link>
          </small>
        </li>
      ))}
    </ul>
  );
}

export function EventDetail({ id, close }: { id: string; close: () => void }) {
  const t = useDev();
  const query = useQuery(eventQuery(id));
  return (
    <Aside title={query.data?.type ?? t.event} label={t.event} close={close}>
      <Loaded query={query} missing={<Missing icon="bell" title={t.eventMissing}>{t.missingHint}</Missing>}>
        {(event) => (
          <>
            <CopyId value={event.id} />
            {event.event_id !== event.id && <CopyId value={event.event_id} />}
            <h3>{t.deliveries}</h3>
            <Deliveries list={event.deliveries} />
            <h3>{t.story}</h3>
            <StoryLink id={event.id} />
            <h3>{t.body}</h3>
            <Json value={event.payload} />
          </>
        )}
      </Loaded>
    </Aside>
  );
}
