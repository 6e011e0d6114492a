import { Button, NativeSelect, Progress as Bar, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../../api/client";
import { useText } from "../../i18n";
import dialog from "../../ui/Dialog.module.css";
import { FormError } from "../../ui/FormError";
import { useDev } from "../text";
import { Modal } from "../../ui/Modal";
import type { Endpoint } from "./data";
import { useReplay, type Progress, type ReplayFilter } from "./useReplay";

/** How many deliveries a replay would take. */
function useCount(filter: ReplayFilter, enabled: boolean) {
  return useQuery({
    queryKey: ["deliveries", "replayable", filter],
    queryFn: () => get<{ count: number; capped: boolean }>("/webhook_deliveries/replayable", { query: { ...filter } }),
    enabled,
    staleTime: 0,
  });
}

function Told({ progress, of }: { progress: Progress; of: number }) {
  const t = useDev();
  return (
    <div role="status">
      <Bar value={progress.state === "finished" ? 100 : Math.min(99, (100 * progress.done) / Math.max(1, of))} aria-label={t.replayMany} />
      <p>
        {t.replayedSoFar(progress.done)} {progress.state === "stopped" && t.replayStopped}
      </p>
    </div>
  );
}

/** Replays what failed at an endpoint, since a time if one is given: the count first, then how far it is. */
export function ReplayMany({ endpoint, close }: { endpoint: Endpoint; close: () => void }) {
  const t = useDev();
  const common = useText("common");
  const [chosen, setChosen] = useState<"dead" | "failed">();
  const [since, setSince] = useState("");
  const { progress, start, stop } = useReplay();
  const filterOf = (of: "dead" | "failed"): ReplayFilter => ({
    subscription_id: endpoint.id, status: of, created_after: since ? new Date(since).toISOString() : undefined,
  });
  const counts = { dead: useCount(filterOf("dead"), progress.state === "idle"), failed: useCount(filterOf("failed"), progress.state === "idle") };
  // Where nothing was given up, what failed so far is what one comes for.
  const status = chosen ?? (counts.dead.data?.count === 0 && counts.failed.data?.count ? "failed" : "dead");
  const filter = filterOf(status);
  const count = counts[status];
  const found = count.data?.count ?? 0;
  return (
    <Modal onClose={close} title={t.replayMany} closeButtonProps={{ "aria-label": common.close }}>
      <div className={dialog.form}>
        <p>{t.replayManyHint}</p>
        <FormError error={progress.error ?? count.error ?? undefined} />
        <NativeSelect
          label={t.status}
          data-autofocus
          value={status}
          disabled={progress.state !== "idle"}
          data={(["dead", "failed"] as const).map((value) => ({ value, label: t.deliveryStates[value] }))}
          onChange={(event) => setChosen(event.target.value as "dead" | "failed")}
        />
        <TextInput
          type="datetime-local"
          label={t.recoverSince}
          value={since}
          disabled={progress.state !== "idle"}
          onChange={(event) => setSince(event.target.value)}
        />
        {progress.state === "idle" ? <p role="status">{count.isSuccess && t.replayCount(found, count.data.capped)}</p> : <Told progress={progress} of={found} />}
        <div className={dialog.buttons}>
          {progress.state === "running" && (
            <Button variant="default" onClick={stop}>
              {common.cancel}
            </Button>
          )}
          {progress.state === "idle" && (
            <Button disabled={found === 0} onClick={() => void start(filter)}>
              {found === 0 ? t.replay : t.replayNow(found)}
            </Button>
          )}
          {(progress.state === "finished" || progress.state === "stopped") && <Button onClick={close}>{t.done}</Button>}
        </div>
      </div>
    </Modal>
  );
}
