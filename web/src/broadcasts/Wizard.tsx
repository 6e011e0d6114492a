import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { AudienceStep } from "./AudienceStep";
import styles from "./Broadcasts.module.css";
import { CheckStep } from "./CheckStep";
import type { Broadcast } from "./data";
import { MessageStep } from "./MessageStep";
import { SendStep } from "./SendStep";
import { useBroadcasts } from "./text";

/** The way of a draft from its message to its start. The step is part of the address. */
export function Wizard({ broadcast: b, step }: { broadcast?: Broadcast; step: number }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const go = (to: number | undefined, id = b?.id ?? "") => {
    void client.invalidateQueries({ queryKey: ["broadcast"] });
    void navigate({ to: "/broadcasts/$id", params: { id }, search: { step: to } });
  };
  return (
    <>
      <Steps at={step} go={b && ((to) => go(to))} />
      {b === undefined || step === 1 ? <MessageStep key={b?.id} broadcast={b} done={(made) => go(2, made.id)} />
        : step === 2 ? <AudienceStep broadcast={b} done={() => go(3)} />
        : step === 3 ? <CheckStep broadcast={b} done={() => go(4)} />
        : <SendStep broadcast={b} done={() => go(undefined)} />}
    </>
  );
}

function Steps({ at, go }: { at: number; go?: (step: number) => void }) {
  const t = useBroadcasts();
  return (
    <nav aria-label={t.stepsLabel}>
      <ol className={styles.steps}>
        {t.steps.map((name, i) => (
          <li key={name}>
            {go ? (
              <button type="button" aria-current={at === i + 1 ? "step" : undefined} onClick={() => go(i + 1)}>{name}</button>
            ) : (
              <span aria-current={at === i + 1 ? "step" : undefined}>{name}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
