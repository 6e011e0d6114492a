import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "../../i18n";
import { Loaded } from "../../ui/Loaded";
import { AdminsOnly } from "../AdminsOnly";
import { Section } from "../Section";
import { bytesText, usageQuery, useUsageText, type Usage } from "./data";
import { MonthPanel } from "./MonthPanel";
import { RetentionPanel } from "./RetentionPanel";
import styles from "./UsagePage.module.css";

function Tiles({ usage }: { usage: Usage }) {
  const t = useUsageText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const tiles = [
    [t.numbers, number.format(usage.numbers)],
    [t.users, number.format(usage.users)],
    [t.files, number.format(usage.files)],
    [t.storage, bytesText(usage.bytes, language)],
  ];
  return (
    <dl className={styles.tiles}>
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function UsageSection() {
  const t = useUsageText();
  const query = useQuery(usageQuery);
  return (
    <Section title={t.title} hint={query.data && t.hint(query.data.plan)}>
      <Loaded query={query}>
        {(usage) => (
          <>
            <MonthPanel month={usage.messages} />
            <Tiles usage={usage} />
            <RetentionPanel key={String(usage.retention.chosen_days)} retention={usage.retention} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

export default function UsagePage() {
  return (
    <AdminsOnly>
      <UsageSection />
    </AdminsOnly>
  );
}
