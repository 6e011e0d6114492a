import { useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { part } from "../api/part";
import { useMe } from "../api/queries";
import { useStream } from "../api/stream";
import { useText } from "../i18n";
import { Toasts } from "../ui/Toasts";
import { useCommandKeys } from "./commands";
import { ConnectionBar } from "./ConnectionBar";
import { keepFocus } from "./keepFocus";
import { Palette } from "./Palette";
import { Rail } from "./Rail";
import { Shortcuts } from "./Shortcuts";
import styles from "./Shell.module.css";
import { useGeneralCommands } from "./useGeneralCommands";
import { UnreadTitle } from "./UnreadTitle";
import { useVersion } from "./version";
import { VersionBar } from "./VersionBar";

const News = lazy(() => part(() => import("../inbox/notify/News")).catch(() => ({ default: () => null })));

const NeededPage = lazy(() => part(() => import("../auth/secondstep/NeededPage")));

/** What is around every page of somebody who is signed in. */
export function Shell() {
  if (!useMe().second_step_needed) return <Pages />;
  return (
    <Suspense>
      <NeededPage />
    </Suspense>
  );
}

function Pages() {
  const t = useText("shell");
  useStream(useQueryClient());
  useCommandKeys();
  useVersion();
  useEffect(keepFocus, []);
  const dialogs = useGeneralCommands();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t.skip}
      </a>
      <Rail openShortcuts={dialogs.openShortcuts} />
      <main id="content" className={styles.content} tabIndex={-1}>
        <ConnectionBar />
        <VersionBar />
        <div className={styles.page}>
          <Outlet />
        </div>
      </main>
      <Toasts />
      <UnreadTitle />
      <Suspense>
        <News />
      </Suspense>
      {dialogs.opened === "palette" && <Palette close={dialogs.close} />}
      {dialogs.opened === "shortcuts" && <Shortcuts close={dialogs.close} />}
    </div>
  );
}
