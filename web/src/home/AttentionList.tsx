import { Link, type LinkProps } from "@tanstack/react-router";
import { useIsAdmin, useMe } from "../api/queries";
import { useLanguage } from "../i18n";
import { Icon, type IconName } from "../ui/icons";
import { relativeTime } from "../ui/times";
import { share, type Attention, type TroubledNumber } from "./data";
import styles from "./HomePage.module.css";
import { useHome } from "./text";
import { numberName } from "../ui/phone";

interface Alarm {
  key: string;
  icon: IconName;
  grave?: boolean;
  title: string;
  hint?: string;
  link?: LinkProps;
}

/** From this share of the quota on it is worth a look. */
const quotaAlarm = 80;

export function AttentionList({ attention }: { attention: Attention }) {
  const t = useHome();
  const alarms = useAlarms(attention);
  if (alarms.length === 0) {
    return (
      <div className={styles.well}>
        <Icon name="check" />
        <div>
          <strong>{t.allWell}</strong>
          <p>{t.allWellHint}</p>
        </div>
      </div>
    );
  }
  return (
    <ul className={styles.alarms}>
      {alarms.map((alarm) => (
        <li key={alarm.key}>
          <AlarmCard alarm={alarm} />
        </li>
      ))}
    </ul>
  );
}

function AlarmCard({ alarm }: { alarm: Alarm }) {
  const inside = (
    <>
      <Icon name={alarm.icon} />
      <span>
        <strong>{alarm.title}</strong>
        {alarm.hint && <small>{alarm.hint}</small>}
      </span>
    </>
  );
  const className = alarm.grave ? `${styles.alarm} ${styles.grave}` : styles.alarm;
  return alarm.link ? (
    <Link {...alarm.link} className={className}>
      {inside}
    </Link>
  ) : (
    <div className={className}>{inside}</div>
  );
}

function useAlarms(a: Attention): Alarm[] {
  const t = useHome();
  const language = useLanguage();
  const admin = useIsAdmin();
  const { numbers } = useMe();
  const alarms: Alarm[] = [];
  if (numbers.length === 0 && a.numbers.length === 0) {
    alarms.push({ key: "no-number", icon: "sim", title: t.noNumber, hint: t.noNumberHint, link: { to: "/numbers" } });
  }
  if (a.waiting.count > 0) {
    alarms.push({
      key: "waiting", icon: "clock", title: t.waiting(a.waiting.count),
      hint: a.waiting.since ? t.waitingSince(relativeTime(a.waiting.since, language)) : undefined,
      link: { to: "/inbox/$view/{-$conversation}", params: { view: "all" }, search: { sort: "waiting", status: "any" } },
    });
  }
  if (a.unassigned > 0) {
    alarms.push({
      key: "unassigned", icon: "inbox", title: t.unassigned(a.unassigned),
      link: { to: "/inbox/$view/{-$conversation}", params: { view: "unassigned" } },
    });
  }
  for (const n of a.numbers) {
    alarms.push({
      key: n.phone_number_id ?? n.phone_number ?? "", icon: "phone", grave: true,
      title: t.number(numberName(n)), hint: trouble(n, t),
      link: n.phone_number_id ? { to: "/numbers/$number", params: { number: n.phone_number_id } } : undefined,
    });
  }
  for (const e of a.endpoints) {
    alarms.push({
      key: e.id, icon: "code", grave: true, title: t.endpoint(e.url),
      hint: e.failing_since ? t.failingSince(relativeTime(e.failing_since, language)) : t.endpointDisabled,
      link: admin ? { to: "/dev" } : undefined,
    });
  }
  for (const template of a.templates) {
    alarms.push({
      key: template.id, icon: "template", title: t.template(template.name, template.language),
      hint: template.rejected_reason ?? t.templateStatus(template.provider_status),
    });
  }
  const used = a.quota ? share(a.quota.used, a.quota.limit) : undefined;
  if (a.quota && used !== undefined && used >= quotaAlarm) {
    const number = new Intl.NumberFormat(language);
    alarms.push({
      key: "quota", icon: "warning", grave: used >= 100, title: t.quota(used),
      hint: t.quotaOf(number.format(a.quota.used), number.format(a.quota.limit)),
    });
  }
  return alarms;
}

function trouble(n: TroubledNumber, t: ReturnType<typeof useHome>): string {
  if (n.status === "disconnected") return t.disconnected;
  if (n.status === "onboarding") return t.onboarding;
  if (n.restriction) return t.restricted(n.restriction);
  if (n.status === "degraded") return t.degraded(n.provider_status ?? n.status);
  return t.quality(n.quality ?? "");
}
