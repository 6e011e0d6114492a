import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Loaded } from "../../ui/Loaded";
import { Clock } from "../parts/Clock";
import styles from "../parts/console.module.css";
import type { Filters } from "../parts/filters";
import { Nothing } from "../parts/Nothing";
import { useDev } from "../text";
import { failuresQuery, kindOf, type Failures } from "./data";

function Group({ group }: { group: Failures["groups"][number] }) {
  const t = useDev();
  const narrowed = { code: group.code ?? undefined, method: group.method, route: group.route ?? undefined, status: "failed", view: undefined, id: undefined };
  return (
    <tr>
      <td>
        <span className={styles.state} data-kind={kindOf(group.status)}>
          {group.status}
        </span>
      </td>
      <td>
        <Link to="." search={((old: object) => ({ ...old, ...narrowed })) as never} activeProps={{}}>
          {group.code ?? t.noCode}
        </Link>
      </td>
      <td className={`${styles.wide} mono`}>
        {group.method} {group.route ?? t.noRoute}
      </td>
      <td className={styles.right}>{group.count}</td>
      <td className={`${styles.right} ${styles.hide}`}>
        <Clock value={group.at} />
      </td>
    </tr>
  );
}

/** What fails, by code and operation: each leads to its calls. */
export function FailureTable({ filter }: { filter: Filters }) {
  const t = useDev();
  const query = useQuery(failuresQuery(filter));
  return (
    <Loaded query={query}>
      {({ groups, whole }) =>
        groups.length === 0 ? (
          <Nothing icon="check" title={t.failuresNone} />
        ) : (
          <>
            <table className={styles.table} aria-label={t.failures}>
              <thead>
                <tr>
                  <th>{t.status}</th>
                  <th>{t.code}</th>
                  <th>{t.path}</th>
                  <th className={styles.right}>{t.count}</th>
                  <th className={`${styles.right} ${styles.hide}`}>{t.last}</th>
                </tr>
              </thead>
              <tbody>
                {groups.map((group) => (
                  <Group key={`${group.code} ${group.method} ${group.route}`} group={group} />
                ))}
              </tbody>
            </table>
            {!whole && <div className={styles.more}>{t.failuresCut}</div>}
          </>
        )
      }
    </Loaded>
  );
}
