import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { idempotencyKey, send } from "../../api/client";
import { CopyId } from "../../inbox/context/CopyId";
import { Loaded } from "../../ui/Loaded";
import { Missing } from "../../ui/Missing";
import { toast, toastError } from "../../ui/toasts";
import type { Filters } from "../parts/filters";
import { Json } from "../parts/Json";
import { Aside } from "../parts/Split";
import { StoryLink } from "../parts/StoryLink";
import { useDev } from "../text";
import { refreshWebhooks } from "../webhooks/data";
import { Attempts } from "./Attempts";
import { deliveryQuery, type DeliveryDetail as Detail } from "./data";
import { DeliveryState } from "./DeliveryState";
import { Signature } from "./Signature";

/** Makes a new delivery of the same event, and shows that one. */
function ReplayButton({ delivery, show }: { delivery: Detail; show: (id: string) => void }) {
  const t = useDev();
  const replay = useMutation({
    mutationFn: () =>
      send<Detail>("POST", `/webhook_deliveries/${delivery.id}/replay`, {}, { idempotencyKey: idempotencyKey() }),
    onSuccess: (made) => {
      toast(t.replayed);
      refreshWebhooks();
      show(made.id);
    },
    onError: toastError,
  });
  return (
    <Button loading={replay.isPending} onClick={() => replay.mutate()}>
      {t.replay}
    </Button>
  );
}

function Body({ delivery }: { delivery: Detail }) {
  const t = useDev();
  return (
    <>
      <CopyId value={delivery.id} />
      <p>
        <DeliveryState delivery={delivery} /> · {t.deliveryStates[delivery.status]}
        {delivery.replayed && ` · ${t.wasReplayed}`}
      </p>
      <h3>{t.attempts}</h3>
      <Attempts delivery={delivery} />
      {delivery.attempts.length > 0 && <Signature key={`${delivery.id} ${delivery.attempts.length}`} delivery={delivery} />}
      <h3>{t.body}</h3>
      <Json value={delivery.payload} />
      <h3>{t.story}</h3>
      <StoryLink id={delivery.id} />
      {delivery.replayed_from && (
        <p>
          {t.replayOf} <StoryLink id={delivery.replayed_from} />
        </p>
      )}
    </>
  );
}

export function DeliveryDetail({ id, change }: { id: string; change: (next: Filters) => void }) {
  const t = useDev();
  const query = useQuery(deliveryQuery(id));
  const replayable = query.data && query.data.payload !== null && (query.data.attempts.length > 0 || query.data.status === "dead");
  return (
    <Aside
      title={query.data?.event_type ?? t.delivery}
      label={t.delivery}
      actions={replayable && query.data && <ReplayButton delivery={query.data} show={(made) => change({ id: made })} />}
      close={() => change({ id: undefined })}
    >
      <Loaded query={query} missing={<Missing icon="send" title={t.deliveryMissing}>{t.missingHint}</Missing>}>
        {(delivery) => <Body delivery={delivery} />}
      </Loaded>
    </Aside>
  );
}
