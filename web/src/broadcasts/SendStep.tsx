import { Button, NumberInput, Radio, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import { send } from "../api/client";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { FormError } from "../ui/FormError";
import { Loaded } from "../ui/Loaded";
import { toast } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import styles from "./Broadcasts.module.css";
import { checkQuery, move, pathOf, type Broadcast, type Check } from "./data";
import { useBroadcasts } from "./text";
import { Unsaved } from "../ui/Unsaved";
import { instantOf, inZone, localOf, ownZone, zoneName, zones } from "./zones";

/** When, how fast, what it takes, and the button. */
export function SendStep({ broadcast: b, done }: { broadcast: Broadcast; done: (made: Broadcast) => void }) {
  const query = useQuery(checkQuery(b));
  return <Loaded query={query}>{(check) => <Form broadcast={b} check={check} done={done} />}</Loaded>;
}

function Form({ broadcast: b, check, done }: { broadcast: Broadcast; check: Check; done: (made: Broadcast) => void }) {
  const t = useBroadcasts();
  const language = useLanguage();
  const [zone, setZone] = useState(b.time_zone ?? ownZone());
  const [when, setWhen] = useState(b.scheduled_at ? "later" : "now");
  const [at, setAt] = useState(b.scheduled_at ? localOf(b.scheduled_at, zone) : "");
  const [pace, setPace] = useState<number | string>(b.per_second ?? "");
  const [begin] = useState([when, at, pace, zone]);
  const changed = [when, at, pace, zone].some((value, i) => value !== begin[i]);
  const later = when === "later";
  const chosen = later && at ? momentOf(b, at, zone) : undefined;
  const run = async () => {
    // What was scheduled keeps its time where it may not start now.
    const scheduled = chosen && { scheduled_at: chosen.instant, time_zone: zone };
    const saved = await send<Broadcast>("PATCH", pathOf(b), { per_second: pace === "" ? null : Number(pace), ...scheduled });
    return later ? saved : move(b, "start");
  };
  const submit = useSubmit([later ? "scheduled_at" : "", "per_second"], run, (made) => {
    if (later) toast(t.scheduled);
    done(made);
  });
  return (
    <form {...submit.form}>
      <Unsaved is={changed} />
      <FormError error={submit.error} />
      <Panel title={t.when}>
        <Radio.Group aria-label={t.when} value={when} onChange={setWhen}>
          <div className={styles.fields}>
            <Radio value="now" label={t.whens.now} onKeyDown={onlyByButton} />
            <Radio value="later" label={t.whens.later} onKeyDown={onlyByButton} />
          </div>
        </Radio.Group>
        {later && (
          <div className={styles.filter}>
            <TextInput label={t.at} type="datetime-local" required onKeyDown={onlyByButton} {...submit.field("scheduled_at", at, setAt)} />
            <Select label={t.zone} searchable allowDeselect={false} limit={100} value={zone} onChange={(value) => setZone(value ?? zone)} data={zones().map((name) => ({ value: name, label: zoneName(name) }))} />
          </div>
        )}
        {chosen?.odd && <p className={styles.warning} data-kind="quiet" role="status">{t.oddTimes[chosen.odd](inZone(chosen.instant, zone, language))}</p>}
      </Panel>
      <Panel title={t.pace} hint={t.paceHint}>
        <NumberInput aria-label={t.pace} maw={200} min={1} max={1000} allowDecimal={false} value={pace} error={submit.errorOf("per_second")} onChange={setPace} onKeyDown={onlyByButton} />
      </Panel>
      <Cost check={check} />
      <div className={styles.foot}>
        <Button type="submit" loading={submit.busy} disabled={check.total === 0 || (later ? at === "" : check.sendable === 0)}>{later ? t.schedule : t.start}</Button>
      </div>
    </form>
  );
}

/** Enter in a field of a form sends it. Nobody means to write to thousands with that. */
function onlyByButton(event: KeyboardEvent) {
  if (event.key === "Enter") event.preventDefault();
}

/** The instant that was chosen. What was scheduled before stays the same instant, also where the clocks show its time twice. */
const momentOf = (b: Broadcast, at: string, zone: string) =>
  b.scheduled_at && zone === b.time_zone && at === localOf(b.scheduled_at, zone) ? { instant: b.scheduled_at, odd: undefined } : instantOf(at, zone);

/** How many messages it takes, and how many there are. */
function Cost({ check }: { check: Check }) {
  const t = useBroadcasts();
  const format = new Intl.NumberFormat(useLanguage());
  const left = check.messages_left;
  return (
    <Panel title={t.cost}>
      <p className={styles.big}>{t.costs(check.sendable, format.format(check.sendable))}</p>
      {check.sendable === 0 ? <p className={styles.warning}>{t.nobody}</p>
        : left === null ? <p className={styles.quiet}>{t.noLimit}</p>
        : left < check.sendable ? <p className={styles.warning}>{t.notEnough(format.format(left))}</p>
        : <p className={styles.quiet}>{t.left(format.format(left))}</p>}
      {check.exceeds_daily_limit && check.daily_limit !== null && <p className={styles.warning}>{t.limit(format.format(check.daily_limit))}</p>}
    </Panel>
  );
}
