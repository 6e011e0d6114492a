import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { address, send } from "../api/client";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { FormError } from "../ui/FormError";
import { Loaded } from "../ui/Loaded";
import { useReason } from "../ui/reasons";
import { toast } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import styles from "./Broadcasts.module.css";
import { checkQuery, pathOf, type Broadcast, type Check, type Reason } from "./data";
import { PhonePreview } from "./PhonePreview";
import { useBroadcasts } from "./text";
import { phoneOf } from "../ui/phone";

/** Who gets it, who does not and why, and what three of them will see. */
export function CheckStep({ broadcast: b, done }: { broadcast: Broadcast; done: () => void }) {
  const t = useBroadcasts();
  const query = useQuery(checkQuery(b));
  return (
    <Loaded query={query}>
      {(check) => (
        <>
          <WhoGets broadcast={b} check={check} />
          {check.samples.length > 0 && <Panel title={t.samples}><Samples samples={check.samples} /></Panel>}
          <TestPanel broadcast={b} />
          <div className={styles.foot}>
            <Button disabled={check.total === 0} onClick={done}>{t.next}</Button>
          </div>
        </>
      )}
    </Loaded>
  );
}

function WhoGets({ broadcast: b, check }: { broadcast: Broadcast; check: Check }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  return (
    <Panel title={t.checkTitle}>
      <p className={styles.big}>{t.willGet(format.format(check.sendable))}</p>
      {check.unchecked > 0 && <p className={styles.warning} data-kind="quiet">{t.unchecked(format.format(check.unchecked))}</p>}
      {check.total === 0 ? <p className={styles.warning}>{t.nobodyMatches}</p> : check.skipped.length === 0 ? <p className={styles.quiet}>{t.nobodyLeftOut}</p> : (
        <>
          <h3 className={styles.under}>{t.leftOutCount(format.format(check.total - check.sendable))}</h3>
          <Reasons label={t.leftOut} reasons={check.skipped} />
        </>
      )}
      {check.skipped.length > 0 && <p><a href={address(pathOf(b, "/left_out.csv"))} download>{t.rejects}</a></p>}
      {check.exceeds_daily_limit && check.daily_limit !== null && <p className={styles.warning}>{t.limit(format.format(check.daily_limit))}</p>}
    </Panel>
  );
}

/** Reasons with how many they hold for, and what a press on one leads to where there is such a thing. */
export function Reasons({ label, reasons, link }: { label: string; reasons: Reason[]; link?: (reason: string, text: string) => ReactNode }) {
  const reason = useReason();
  const format = new Intl.NumberFormat(useLanguage());
  return (
    <ul className={styles.why} aria-label={label}>
      {reasons.map((r) => (
        <li key={r.reason}>
          <span>{link ? link(r.reason, reason(r.reason)) : reason(r.reason)}</span>
          <span>{format.format(r.count)}</span>
        </li>
      ))}
    </ul>
  );
}

function Samples({ samples }: { samples: Check["samples"] }) {
  const t = useBroadcasts();
  const reason = useReason();
  return (
    <ul className={styles.samples} aria-label={t.samples}>
      {samples.map((s) => (
        <li key={s.to}>
          <div className={styles.who}>
            <strong className={styles.cut}>{s.name ?? phoneOf(s.to)}</strong>
            {s.name && <span className={styles.quiet}>{phoneOf(s.to)}</span>}
          </div>
          {s.reason && <p className={styles.warning}>{t.sampleLeftOut}: {reason(s.reason)}</p>}
          {s.preview && <PhonePreview label={s.name ?? s.to} preview={s.preview} />}
        </li>
      ))}
    </ul>
  );
}

function TestPanel({ broadcast: b }: { broadcast: Broadcast }) {
  const t = useBroadcasts();
  const [to, setTo] = useState("");
  const submit = useSubmit(["to"], () => send("POST", pathOf(b, "/test"), { to: to.replace(/[\s()./-]/gu, "") }), () => toast(t.tested));
  return (
    <Panel title={t.test} hint={t.testHint}>
      <form {...submit.form}>
        <FormError error={submit.error} />
        <TextInput label={t.testTo} type="tel" {...submit.field("to", to, setTo)} />
        <Button type="submit" variant="default" disabled={!to.trim()} loading={submit.busy}>{t.testSend}</Button>
      </form>
    </Panel>
  );
}
