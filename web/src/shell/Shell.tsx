import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { useStream } from "../api/stream";
import { useText } from "../i18n";
import { Toasts } from "../ui/Toasts";
import { useCommandKeys } from "./commands";

export function Shell() {
  const t = useText("shell");
  useStream(useQueryClient());
  useCommandKeys();
  return (
    <>
      <nav aria-label={t.main}>
        <Link to="/inbox">{t.inbox}</Link> <Link to="/settings">{t.settings}</Link> <Link to="/phone">{t.phone}</Link>
      </nav>
      <main>
        <Outlet />
      </main>
      <Toasts />
    </>
  );
}
