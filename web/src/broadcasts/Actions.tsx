import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { send } from "../api/client";
import { useLanguage } from "../i18n";
import { toast, toastError } from "../ui/toasts";
import styles from "./Broadcasts.module.css";
import { Confirm } from "./Confirm";
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
  const pressed = useRef(false);
  // The button that was pressed goes with the state; the page's name is before those that come.
  useEffect(() => {
    if (pressed.current && document.activeElement === document.body) box.current?.closest("header")?.querySelector("h1")?.focus();
    pressed.current = false;
  }, [b.status]);
  const run = (name: string, work: () => Promise<unknown>) => {
    pressed.current = true;
    setBusy(name);
    setAsking(undefined);
    void work().catch(toastError).finally(() => {
      setBusy(undefined);
      void client.invalidateQueries({ queryKey: ["broadcast"] });
    });
  };
  const button = (name: Move, label: string, then?: (made: Broadcast) => void, primary = false) => (
    <Button key={name} variant={primary ? "filled" : "default"} loading={busy === name} onClick={() => run(name, () => move(b, name).then(then))}>{label}</Button>
  );
  const open = (made: Broadcast) => {
    toast(t.duplicated);
    void navigate({ to: "/broadcasts/$id", params: { id: made.id }, search: { step: 1 } });
  };
  const remove = () => run("remove", async () => {
    await send("DELETE", pathOf(b));
    await navigate({ to: "/broadcasts", replace: true, ignoreBlocker: true });
  });
  return (
    <div ref={box} className={styles.actions}>
      {b.status === "sending" && button("pause", t.pause, undefined, true)}
      {b.status === "paused" && button("resume", t.resume, undefined, true)}
      {b.status === "scheduled" && !editing && button("start", t.start, undefined, true)}
      {b.status === "scheduled" && !editing && <Button variant="default" onClick={() => void navigate({ to: "/broadcasts/$id", params: { id: b.id }, search: { step: 1 } })}>{t.edit}</Button>}
      {["sending", "paused", "scheduled"].includes(b.status) && !editing && <Button variant="default" c="var(--red)" loading={busy === "stop"} onClick={() => setAsking("stop")}>{t.stop}</Button>}
      {["paused", "completed", "stopped"].includes(b.status) && (b.counts.failed > 0 || held) && button("retry", t.retryFailed, () => toast(t.retried))}
      {b.status !== "draft" && !editing && button("duplicate", t.duplicate, open)}
      {isOpen(b) && <Button variant="default" c="var(--red)" loading={busy === "remove"} onClick={() => setAsking("remove")}>{t.remove}</Button>}
      {asking === "stop" && <Confirm title={t.stopTitle} hint={<StopHint waiting={b.counts.waiting} />} action={t.stop} close={() => setAsking(undefined)} confirm={() => run("stop", () => move(b, "stop"))} />}
      {asking === "remove" && <Confirm title={t.removeTitle} hint={t.removeHint} action={t.remove} close={() => setAsking(undefined)} confirm={remove} />}
    </div>
  );
}

function StopHint({ waiting }: { waiting: number }) {
  const t = useBroadcasts();
  return t.stopHint(new Intl.NumberFormat(useLanguage()).format(waiting));
}
