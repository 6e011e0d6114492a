import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMe } from "../api/queries";
import { Loaded } from "../ui/Loaded";
import { PageTitle } from "../ui/PageTitle";
import { AttentionList } from "./AttentionList";
import { attentionQuery, figuresQuery, ranges, type Range } from "./data";
import { DaysChart } from "./DaysChart";
import { FailuresPanel } from "./FailuresPanel";
import styles from "./HomePage.module.css";
import { HoursPanel } from "./HoursPanel";
import { Tiles } from "./Tiles";
import { useHome } from "./text";
import { WebhooksPanel } from "./WebhooksPanel";
import { NumberSelect } from "../ui/NumberSelect";

const route = getRouteApi("/signed-in/");

/** What needs attention now, then how it went. */
export default function HomePage() {
  const t = useHome();
  const me = useMe();
  const attention = useQuery(attentionQuery);
  return (
    <div className={styles.page}>
      <PageTitle>{t.title}</PageTitle>
      <section className={styles.attention} aria-label={t.attention}>
        <Loaded query={attention} rows={1}>
          {(data) => <AttentionList attention={data} />}
        </Loaded>
      </section>
      {me.user.sees === "assigned" ? <p className={styles.hint}>{t.noFigures}</p> : <FiguresPart />}
    </div>
  );
}

function FiguresPart() {
  const { days = 7, number } = route.useSearch();
  const figures = useQuery(figuresQuery(days, number));
  const { user } = useMe();
  return (
    <>
      <FiguresBar days={days} number={number} />
      <div className={styles.figures} aria-busy={figures.isPlaceholderData}>
        <Loaded query={figures} rows={5}>
          {(data) => (
            <>
              <Tiles figures={data} days={days} />
              {days > 1 && <DaysChart days={data.days} />}
              <div className={styles.pair}>
                <HoursPanel hours={data.hours} />
                <FailuresPanel failures={data.failures} days={days} />
              </div>
            </>
          )}
        </Loaded>
      </div>
      {user.role !== "agent" && !number && <WebhooksPanel days={days} />}
    </>
  );
}

/** Which days, and of which number. Both are in the address. */
function FiguresBar({ days, number }: { days: Range; number?: string }) {
  const t = useHome();
  const { numbers } = useMe();
  const navigate = route.useNavigate();
  return (
    <div className={styles.bar}>
      <SegmentedControl
        aria-label={t.range}
        value={String(days)}
        data={ranges.map((n) => ({ value: String(n), label: t.days(n) }))}
        onChange={(value) => void navigate({ search: (old) => ({ ...old, days: Number(value) as Range }), replace: true })}
      />
      {numbers.length > 1 && (
        <NumberSelect
          native
          aria-label={t.numberField}
          any={t.allNumbers}
          value={number}
          onChange={(chosen) => void navigate({ search: (old) => ({ ...old, number: chosen }), replace: true })}
        />
      )}
    </div>
  );
}
