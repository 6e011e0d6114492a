import { lazy, Suspense, useEffect } from "react";
import { part } from "../api/part";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { useDrawer } from "../phone/drawer";
import { usePhoneBeside } from "../phone/usePhoneBeside";
import { EmptyState } from "../ui/EmptyState";
import { useTitle } from "../ui/title";
import { ContextPane } from "./context/ContextPane";
import { ConversationKeys } from "./ConversationKeys";
import { useContextShown } from "./context/shown";
import { openOutbox } from "./data/sending";
import { ListPane } from "./list/ListPane";
import { usePlace } from "./place";
import { ThreadPane } from "./thread/ThreadPane";
import styles from "./InboxPage.module.css";

const PhoneDrawer = lazy(() => part(() => import("../phone/PhoneDrawer")));

/** The inbox: a list, a thread, and what is known of the person. On a phone one of them at a time. */
export default function InboxPage() {
  const t = useText("inbox");
  const me = useMe();
  const { conversation } = usePlace();
  const context = useContextShown();
  const phone = [useDrawer(), usePhoneBeside(), me.simulator].every(Boolean);
  useEffect(() => openOutbox(me.user.id), [me.user.id]);
  return (
    <div className={styles.whole} data-phone={phone || undefined}>
      <ConversationKeys />
      {conversation && <h1 className={`visually-hidden ${styles.name}`}>{t.title}</h1>}
      <div className={styles.panes} data-shows={conversation ? "thread" : "list"}>
        <section className={`${styles.pane} ${styles.list}`} aria-label={t.title}>
          <ListPane />
        </section>
        <section className={`${styles.pane} ${styles.thread}`} aria-label={t.thread}>
          {conversation ? (
            <ThreadPane key={conversation} id={conversation} />
          ) : (
            <NoneOpen />
          )}
        </section>
        {conversation && (context.beside || context.over) && (
          <aside
            className={`${styles.pane} ${styles.context}`}
            data-over={context.over || undefined}
            aria-label={t.context}
          >
            <ContextPane key={conversation} id={conversation} />
          </aside>
        )}
      </div>
      {phone && (
        <Suspense>
          <PhoneDrawer conversation={conversation} />
        </Suspense>
      )}
    </div>
  );
}

function NoneOpen() {
  const t = useText("inbox");
  useTitle(t.title);
  return (
    <EmptyState icon="inbox" title={t.chooseTitle}>
      {t.chooseBody}
    </EmptyState>
  );
}
