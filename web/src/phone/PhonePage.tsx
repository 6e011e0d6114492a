import { useMediaQuery } from "@mantine/hooks";
import { lazy, Suspense } from "react";
import { part } from "../api/part";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { PageTitle } from "../ui/PageTitle";
import { PhonePanel } from "./PhonePanel";
import styles from "./Phone.module.css";

const InboxBeside = lazy(() => part(() => import("./InboxBeside")));

/** The phone, and the inbox beside it where there is room. */
export default function PhonePage() {
  const t = useText("phone");
  const me = useMe();
  const wide = useMediaQuery("(min-width: 1100px)", false, { getInitialValueInEffect: false });
  return (
    <div className={styles.page}>
      <div className={styles.side}>
        <PageTitle className={styles.title}>{t.title}</PageTitle>
        <p className={styles.intro}>{t.intro}</p>
        <PhonePanel />
      </div>
      {wide && me.simulator && (
        <div className={styles.beside}>
          <Suspense>
            <InboxBeside />
          </Suspense>
        </div>
      )}
    </div>
  );
}
