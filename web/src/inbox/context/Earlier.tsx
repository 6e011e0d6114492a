import { useText } from "../../i18n";
import { Time } from "../../ui/Time";
import { useNewest } from "../data/timeline";
import { Words } from "../thread/HappeningRow";
import styles from "./Earlier.module.css";

const most = 6;

/** What was done with the conversation lately. */
export function Earlier({ id }: { id: string }) {
  const t = useText("inbox");
  const happenings = useNewest(id)
    .filter((item) => item.kind === "happening")
    .slice(0, most);
  if (happenings.length === 0) return null;
  return (
    <>
      <h3>{t.earlier}</h3>
      <ul className={styles.earlier}>
        {happenings.map((item) => (
          <li key={item.id}>
            <span>
              <Words happening={item.happening} />
            </span>
            <Time value={item.created_at} />
          </li>
        ))}
      </ul>
    </>
  );
}
