import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate, useRouter, type RouterHistory } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { AudienceStep } from "./AudienceStep";
import styles from "./Broadcasts.module.css";
import { CheckStep } from "./CheckStep";
import { broadcastQuery, type Broadcast } from "./data";
import { MessageStep } from "./MessageStep";
import { SendStep } from "./SendStep";
import { useBroadcasts } from "./text";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** How many places before this one belong to the same way through the steps. */
    steps?: number;
  }
}

/** Goes back by some places, and waits until it is there. */
const goBack = (history: RouterHistory, places: number) =>
  new Promise<void>((there) => {
    if (places === 0) return there();
    const stop = history.subscribe(() => {
      stop();
      there();
    });
    history.go(-places, { ignoreBlocker: true });
  });

/** The way of a draft from its message to its start. The step is part of the address. */
export function Wizard({ broadcast: b, step }: { broadcast?: Broadcast; step: number }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { history } = useRouter();
  const steps = useLocation().state.steps ?? 0;
  const t = useBroadcasts();
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef(false);
  // The button that led here is gone: the next Tab leads to the first field of the step.
  useEffect(() => {
    if (drawn.current || document.activeElement === document.body) box.current?.focus({ preventScroll: true });
    drawn.current = true;
  }, [step]);
  const go = async (to: number, saved: boolean, id = b?.id ?? "") => {
    const at = { to: "/broadcasts/$id", params: { id }, ignoreBlocker: saved } as const;
    void client.invalidateQueries({ queryKey: ["broadcast"] });
    // Going back leads to the draft that was made, not to an empty form that would make another.
    if (!b) await navigate({ ...at, search: { step: 1 }, replace: true });
    await navigate({ ...at, search: { step: to }, state: { steps: steps + 1 } });
    box.current?.closest(`.${styles.page}`)?.scrollTo({ top: 0 });
  };
  // It is on its way: its steps are no places to come back to any more, and the button with the focus is gone.
  const finish = async (made: Broadcast) => {
    const page = box.current?.closest(`.${styles.page}`);
    client.setQueryData(broadcastQuery(made.id).queryKey, made);
    void client.invalidateQueries({ queryKey: ["broadcast"] });
    await goBack(history, steps);
    await navigate({ to: "/broadcasts/$id", params: { id: made.id }, search: {}, replace: true, ignoreBlocker: true });
    page?.scrollTo({ top: 0 });
    page?.querySelector("h1")?.focus();
  };
  return (
    <>
      <Steps at={step} go={b && ((to) => void go(to, false))} />
      <div ref={box} className={styles.step} role="group" aria-label={t.steps[step - 1]} tabIndex={-1}>
        {b === undefined || step === 1 ? <MessageStep key={b?.id} broadcast={b} done={(made) => void go(2, true, made.id)} />
          : step === 2 ? <AudienceStep broadcast={b} done={() => void go(3, true)} />
          : step === 3 ? <CheckStep broadcast={b} done={() => void go(4, true)} />
          : <SendStep broadcast={b} done={(made) => void finish(made)} />}
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
