import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, type LinkProps } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useCurrentInView } from "../ui/useCurrentInView";
import styles from "./DevPage.module.css";
import { useDev } from "./text";
import { endpointsQuery } from "./webhooks/data";

/** Arrow keys go from tab to tab, as people with screen readers expect of tabs. */
function onKeyDown(event: KeyboardEvent<HTMLElement>) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  tabs[(at + step + tabs.length) % tabs.length]?.focus();
  event.preventDefault();
}

function Tab(props: { to: LinkProps["to"]; also?: string; name: string; count?: number; countText?: string }) {
  const { pathname } = useLocation();
  const selected = pathname.startsWith(props.to as string) || (props.also !== undefined && pathname.startsWith(props.also));
  return (
    <Link
      to={props.to}
      role="tab"
      aria-selected={selected}
      aria-controls="dev-panel"
      title={props.count ? props.countText : undefined}
      activeProps={{}}
    >
      {props.name}
      {Boolean(props.count) && <b aria-hidden="true">{props.count}</b>}
    </Link>
  );
}

export function DevTabs() {
  const t = useDev();
  const tabs = useCurrentInView<HTMLDivElement>();
  const endpoints = useQuery(endpointsQuery).data ?? [];
  const failing = endpoints.filter((endpoint) => endpoint.status === "disabled" || endpoint.consecutive_failures > 0).length;
  return (
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus
    <div ref={tabs} className={styles.tabs} role="tablist" aria-label={t.title} onKeyDown={onKeyDown}>
      <Tab to="/dev/keys" name={t.keys} />
      <Tab to="/dev/logs" name={t.log} />
      <Tab to="/dev/events" name={t.events} />
      <Tab to="/dev/webhooks" also="/dev/deliveries" name={t.webhooks} count={failing} countText={t.failing(failing)} />
      <Tab to="/dev/reference" name={t.reference} />
    </div>
  );
}
