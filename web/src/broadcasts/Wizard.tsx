import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
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
  const t = useBroadcasts();
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef(false);
  // The button that led here is gone: the next Tab leads to the first field of the step.
  useEffect(() => {
    if (drawn.current || document.activeElement === document.body) box.current?.focus({ preventScroll: true });
    drawn.current = true;
  }, [step]);
  const go = async (to: number | undefined, saved: boolean, id = b?.id ?? "") => {
    const at = { to: "/broadcasts/$id", params: { id }, ignoreBlocker: saved } as const;
    void client.invalidateQueries({ queryKey: ["broadcast"] });
    // Going back leads to the draft that was made, not to an empty form that would make another.
    if (!b) await navigate({ ...at, search: { step: 1 }, replace: true });
    await navigate({ ...at, search: { step: to } });
    box.current?.closest(`.${styles.page}`)?.scrollTo({ top: 0 });
  };
  return (
    <>
      <Steps at={step} go={b && ((to) => void go(to, false))} />
      <div ref={box} className={styles.step} role="group" aria-label={t.steps[step - 1]} tabIndex={-1}>
        {b === undefined || step === 1 ? <MessageStep key={b?.id} broadcast={b} done={(made) => void go(2, true, made.id)} />
          : step === 2 ? <AudienceStep broadcast={b} done={() => void go(3, true)} />
          : step === 3 ? <CheckStep broadcast={b} done={() => void go(4, true)} />
          : <SendStep broadcast={b} done={() => void go(undefined, true)} />}
      </div>
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
              <button type="button" aria-current={at === i + 1 ? "step" : undefined} onClick={() => void go(i + 1)}>{name}</button>
            ) : (
              <span aria-current={at === i + 1 ? "step" : undefined}>{name}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
