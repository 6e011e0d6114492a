import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLanguage } from "../i18n";
import { Panel } from "../settings/Section";
import styles from "./Broadcasts.module.css";
import { Reasons } from "./CheckStep";
import { reportQuery, type Broadcast, type Counts, type RecipientSearch } from "./data";
import { useBroadcasts } from "./text";

const stages: (keyof Counts)[] = ["total", "sent", "delivered", "read", "replied", "clicked", "opted_out", "failed", "skipped", "waiting"];
const always: (keyof Counts)[] = ["total", "sent", "delivered", "read", "replied"];

/** From all recipients down to those who answered, and why the others are missing. */
export function ReportPanels({ broadcast: b, toList }: { broadcast: Broadcast; toList: () => void }) {
  const t = useBroadcasts();
  const those = (show: RecipientSearch["show"]) => (reason: string, text: string) =>
    <Link to="/broadcasts/$id" params={{ id: b.id }} search={{ show, reason }} resetScroll={false} onClick={toList}>{text}</Link>;
  const report = useQuery(reportQuery(b)).data;
  return (
    <>
      <Panel title={t.funnel}>
        <ul className={styles.funnel} aria-label={t.funnel}>
          {stages.filter((s) => always.includes(s) || b.counts[s] > 0).map((s) => <Stage key={s} broadcast={b} stage={s} toList={toList} />)}
        </ul>
      </Panel>
      {report && report.failed.length + report.skipped.length + report.clicked.length > 0 && (
        <div className={styles.grid}>
          {report.failed.length > 0 && <Panel title={t.failedWhy}><Reasons label={t.failedWhy} reasons={report.failed} link={those("failed")} /></Panel>}
          {report.skipped.length > 0 && <Panel title={t.skippedWhy}><Reasons label={t.skippedWhy} reasons={report.skipped} link={those("skipped")} /></Panel>}
          {report.clicked.length > 0 && (
            <Panel title={t.buttons}><Reasons label={t.buttons} reasons={report.clicked.map(({ button, count }) => ({ reason: button, count }))} /></Panel>
          )}
        </div>
      )}
    </>
  );
}

function Stage({ broadcast: b, stage, toList }: { broadcast: Broadcast; stage: keyof Counts; toList: () => void }) {
  const t = useBroadcasts();
  const language = useLanguage();
  const n = b.counts[stage];
  const share = b.counts.total > 0 ? n / b.counts.total : 0;
  const inside = (
    <>
      <span>{t.stages[stage]}</span>
      <span className={styles.track} aria-hidden="true"><span className={styles.share} data-kind={stage} style={{ width: n > 0 ? `max(4px, ${100 * share}%)` : 0 }} /></span>
      <span className={styles.right}>{new Intl.NumberFormat(language).format(n)}</span>
      <span className={`${styles.quiet} ${styles.right}`}>{new Intl.NumberFormat(language, { style: "percent" }).format(share)}</span>
    </>
  );
  if (stage === "clicked") return <li><span>{inside}</span></li>;
  const show = stage === "total" ? undefined : (stage as RecipientSearch["show"]);
  return <li><Link to="/broadcasts/$id" params={{ id: b.id }} search={{ show }} resetScroll={false} onClick={toList}>{inside}</Link></li>;
}
