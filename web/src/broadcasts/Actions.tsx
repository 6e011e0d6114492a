import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { send } from "../api/client";
import { useLanguage } from "../i18n";
import { toast, toastError } from "../ui/toasts";
import { lastList } from "./address";
import styles from "./Broadcasts.module.css";
import { Confirm } from "../ui/Confirm";
import { isOpen, move, pathOf, reportQuery, type Broadcast } from "./data";
import { useBroadcasts } from "./text";

type Move = Parameters<typeof move>[1];

/** What can be done with a broadcast in its state. */
export function Actions({ broadcast: b, editing }: { broadcast: Broadcast; editing: boolean }) {
  const t = useBroadcasts();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState<string>();
  const report = useQuery({ ...reportQuery(b), enabled: b.started_at !== null });
  const held = report.data?.skipped.some((s) => s.reason === "customer_suspended");
  const [asking, setAsking] = useState<"stop" | "remove">();
  const box = useRef<HTMLDivElement>(null);
  const pressed = useRef<string>(undefined);
  // A button is off while it waits for its answer, and takes the focus again after a refusal. One that goes with the state
  // leaves it to the page's name, which is before those that come.
  useEffect(() => {
    if (busy !== undefined || pressed.current === undefined || document.activeElement !== document.body) return;
    const button = box.current?.querySelector<HTMLElement>(`[data-move="${pressed.current}"]`);
    if (!button) pressed.current = undefined;
    (button ?? box.current?.closest("header")?.querySelector("h1"))?.focus();
  }, [b.status, busy]);
  const run = (name: string, work: () => Promise<unknown>) => {
    pressed.current = name;
    setBusy(name);
    setAsking(undefined);
    void work().catch(toastError).finally(() => {
      setBusy(undefined);
      void client.invalidateQueries({ queryKey: ["broadcast"] });
    });
  };
  const button = (name: Move, label: string, then?: (made: Broadcast) => void, primary = false) => (
    <Button key={name} data-move={name} variant={primary ? "filled" : "default"} loading={busy === name} onClick={() => run(name, () => move(b, name).then(then))}>{label}</Button>
  );
  const open = (made: Broadcast) => {
    toast(t.duplicated);
    void navigate({ to: "/broadcasts/$id", params: { id: made.id }, search: { step: 1 } });
  };
  const remove = () => run("remove", async () => {
    await send("DELETE", pathOf(b));
    await navigate({ to: "/broadcasts", search: lastList(), replace: true, ignoreBlocker: true });
  });
  return (
    <div ref={box} className={styles.actions}>
      {b.status === "sending" && button("pause", t.pause, undefined, true)}
      {b.status === "paused" && button("resume", t.resume, undefined, true)}
      {b.status === "scheduled" && !editing && button("start", t.start, undefined, true)}
      {b.status === "scheduled" && !editing && <Button variant="default" onClick={() => void navigate({ to: "/broadcasts/$id", params: { id: b.id }, search: { step: 1 }, state: { steps: 1 } })}>{t.edit}</Button>}
      {["sending", "paused", "scheduled"].includes(b.status) && !editing && <Button data-move="stop" variant="default" c="var(--red)" loading={busy === "stop"} onClick={() => setAsking("stop")}>{t.stop}</Button>}
      {["paused", "completed", "stopped"].includes(b.status) && (b.counts.failed > 0 || held) && button("retry", t.retryFailed, () => toast(t.retried))}
      {b.status !== "draft" && !editing && button("duplicate", t.duplicate, open)}
      {isOpen(b) && <Button data-move="remove" variant="default" c="var(--red)" loading={busy === "remove"} onClick={() => setAsking("remove")}>{t.remove}</Button>}
      {asking === "stop" && <Confirm title={t.stopTitle} hint={<StopHint broadcast={b} />} action={t.stop} close={() => setAsking(undefined)} confirm={() => run("stop", () => move(b, "stop"))} />}
      {asking === "remove" && <Confirm title={t.removeTitle} hint={t.removeHint} action={t.remove} close={() => setAsking(undefined)} confirm={remove} />}
    </div>
  );
}

function StopHint({ broadcast: b }: { broadcast: Broadcast }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  // Before the start nobody knows how many they will be.
  return b.status === "scheduled" ? t.stopScheduled : t.stopHint(b.counts.waiting, format.format(b.counts.waiting));
}
