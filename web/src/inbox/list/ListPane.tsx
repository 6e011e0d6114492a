import { useText } from "../../i18n";
import { ConversationList } from "./ConversationList";
import { FilterMenu } from "./FilterMenu";
import { ListTabs } from "./ListTabs";
import styles from "./ListPane.module.css";

export function ListPane() {
  const t = useText("inbox");
  return (
    <>
      <header className={styles.header}>
        <div className={styles.title}>
          <h1>{t.title}</h1>
          <FilterMenu />
        </div>
      </header>
      <ListTabs />
      <ConversationList />
    </>
  );
}
