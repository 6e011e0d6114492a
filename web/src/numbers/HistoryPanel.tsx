import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import { Loaded } from "../ui/Loaded";
import { Time } from "../ui/Time";
import { longTime, useNow } from "../ui/times";
import { historyQuery, limitText, qualityTone, spansOf, statusTone, type NumberState, type Tone } from "./data";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";

/** What the provider made of a number: as strips of colour, and in words. */
export function HistoryPanel({ id }: { id: string }) {
  const t = useNumbers();
  return (
    <Panel title={t.history} hint={t.historyHint}>
      <Loaded query={useQuery(historyQuery(id))} rows={3}>
        {({ states }) => (states.length > 1 ? <History states={states} /> : <p className={styles.note}>{t.historyNone}</p>)}
      </Loaded>
    </Panel>
  );
}

/** How many changes are told in words; the strips have them all. */
const told = 12;

function History({ states }: { states: NumberState[] }) {
  const t = useNumbers();
  const first = states.at(-1);
  return (
    <>
      <div className={styles.lanes}>
        <Lane what={t.status} states={states} pick={(s) => s.restriction ? "restricted" : s.status} tone={(v) => (v === "restricted" ? "poor" : statusTone(v ?? ""))} />
        <Lane what={t.quality} states={states} pick={(s) => s.quality} tone={qualityTone} />
        <Lane what={t.limitName} states={states} pick={(s) => s.messaging_limit} tone={(v) => (v ? "good" : "none")} />
        <span className={styles.axis}>
          {first && <Time value={first.at} />}
          <Time value={new Date().toISOString()} />
        </span>
      </div>
      <ol className={styles.changes} aria-label={t.changes}>
        {states.slice(0, told).map((state, i) => (
          <li key={state.at}>
            <Time value={state.at} />
            <Change now={state} before={states[i + 1]} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Lane(props: { what: string; states: NumberState[]; pick: (s: NumberState) => string | null; tone: (value: string | null) => Tone }) {
  const t = useNumbers();
  const language = useLanguage();
  const spans = spansOf(props.states, useNow().getTime(), props.pick);
  return (
    <>
      <span>{props.what}</span>
      <span className={styles.lane} role="img" aria-label={t.lane(props.what, spans.length)}>
        {spans.map((span) => (
          <span
            key={span.from}
            data-tone={props.tone(span.value)}
            style={{ flexGrow: Math.max(1, span.until - span.from) }}
            title={`${span.value ?? "–"}: ${longTime(new Date(span.from).toISOString(), language)} – ${longTime(new Date(span.until).toISOString(), language)}`}
          />
        ))}
      </span>
    </>
  );
}

/** What a state has that the one before it had not. */
function Change({ now, before }: { now: NumberState; before: NumberState | undefined }) {
  const t = useNumbers();
  const language = useLanguage();
  const parts: string[] = [];
  if (now.status !== before?.status) parts.push(t.statuses[now.status] ?? now.status);
  if (now.restriction && now.restriction !== before?.restriction) parts.push(t.restricted(t.restrictions[now.restriction] ?? now.restriction));
  if (now.quality && now.quality !== before?.quality) parts.push(t.qualities[now.quality] ?? now.quality);
  if (now.messaging_limit && now.messaging_limit !== before?.messaging_limit) parts.push(limitText(now, t, language));
  if (now.provider_status && now.provider_status !== before?.provider_status) parts.push(`${t.providerSays}: ${now.provider_status}`);
  return <span>{parts.join(" · ") || (t.statuses[now.status] ?? now.status)}</span>;
}
