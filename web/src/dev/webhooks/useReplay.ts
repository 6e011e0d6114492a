import { useRef, useState } from "react";
import { idempotencyKey, send } from "../../api/client";
import { refreshWebhooks } from "./data";

export interface ReplayFilter {
  subscription_id: string;
  status: "failed" | "dead";
  created_after?: string;
}

export interface Progress {
  done: number;
  state: "idle" | "running" | "stopped" | "finished";
  error?: unknown;
}

type Step = (filter: ReplayFilter) => Promise<{ enqueued: number; capped: boolean }>;

/** Each call takes at most a thousand and none twice, so that one which is cut off can be repeated. */
const replayStep: Step = (filter) => send("POST", "/webhook_deliveries/bulk_replay", filter, { idempotencyKey: idempotencyKey() });

/** Repeats steps until there is no more, or nobody wants to go on. */
export async function replayAll(filter: ReplayFilter, goesOn: () => boolean, tell: (done: number) => void, step: Step = replayStep): Promise<boolean> {
  let done = 0;
  for (;;) {
    const { enqueued, capped } = await step(filter);
    done += enqueued;
    tell(done);
    if (!capped) return true;
    if (!goesOn()) return false;
  }
}

export function useReplay() {
  const [progress, setProgress] = useState<Progress>({ done: 0, state: "idle" });
  const wanted = useRef(true);
  const start = async (filter: ReplayFilter) => {
    wanted.current = true;
    setProgress({ done: 0, state: "running" });
    try {
      const whole = await replayAll(filter, () => wanted.current, (done) => setProgress({ done, state: "running" }));
      setProgress(({ done }) => ({ done, state: whole ? "finished" : "stopped" }));
    } catch (error) {
      setProgress(({ done }) => ({ done, state: "stopped", error }));
    }
    refreshWebhooks();
  };
  const stop = () => {
    wanted.current = false;
  };
  return { progress, start, stop };
}
