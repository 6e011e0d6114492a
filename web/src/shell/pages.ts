import type { LinkProps } from "@tanstack/react-router";
import { useMemo } from "react";
import { useIsAdmin, useMe, useSeesEverybody } from "../api/queries";
import { useText } from "../i18n";
import type { IconName } from "../ui/icons";

export interface Page {
  to: LinkProps["to"] & string;
  icon: IconName;
  name: string;
  /** Whether it stands in the bar on a phone, which has room for three. */
  main?: boolean;
  /** Whether it stands at the lower end. */
  end?: boolean;
  shown?: boolean;
}

/** The pages that one may open, in the order of the navigation. */
export function usePages(): Page[] {
  const t = useText("shell");
  const { simulator, plan, user } = useMe();
  const admin = useIsAdmin();
  const everybody = useSeesEverybody();
  return useMemo(() => {
    const pages: Page[] = [
      { to: "/", icon: "home", name: t.home, main: true },
      { to: "/inbox", icon: "inbox", name: t.inbox, main: true },
      { to: "/contacts", icon: "people", name: t.contacts, main: true },
      { to: "/templates", icon: "template", name: t.templates },
      { to: "/media", icon: "image", name: t.media },
      { to: "/broadcasts", icon: "horn", name: t.broadcasts, shown: admin && everybody },
      { to: "/numbers", icon: "sim", name: t.numbers },
      { to: "/customers", icon: "building", name: t.customers, shown: admin && plan.customers },
      { to: "/phone", icon: "phone", name: t.phone, shown: simulator },
      { to: "/operator", icon: "server", name: t.operator, shown: user.operator, end: true },
      { to: "/dev", icon: "code", name: t.developers, shown: admin, end: true },
      { to: "/settings", icon: "gear", name: t.settings, end: true },
    ];
    return pages.filter((page) => page.shown !== false);
  }, [t, simulator, plan, user.operator, admin, everybody]);
}
