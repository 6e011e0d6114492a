import {
  createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, type ErrorComponentProps,
} from "@tanstack/react-router";
import { meQuery, queryClient } from "./api/queries";
import type { ConversationFilter } from "./api/types";
import { Shell } from "./shell/Shell";
import { ErrorState } from "./ui/ErrorState";
import { NotFound } from "./ui/NotFound";

function Failed({ error, reset }: ErrorComponentProps) {
  return <ErrorState error={error} retry={reset} />;
}

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: Failed });

/** Pages without a session. */
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search: { return?: string }) => ({ return: search.return }),
  component: lazyRouteComponent(() => import("./auth/LoginPage")),
});

/** Pages with a session stand inside the shell, which waits until it is known who is signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  loader: () => queryClient.ensureQueryData(meQuery),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/inbox/$view/{-$conversation}", params: { view: "mine" } });
  },
});

/** What the address of the inbox may say beside the view: the filters, and the item of the thread to jump to. */
export type InboxSearch = Omit<ConversationFilter, "view"> & { q?: string; item?: string };

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbox/$view/{-$conversation}",
  validateSearch: (search: InboxSearch): InboxSearch => search,
  component: lazyRouteComponent(() => import("./inbox/InboxPage")),
});

const inboxHome = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbox",
  beforeLoad: () => {
    throw redirect({ to: "/inbox/$view/{-$conversation}", params: { view: "mine" } });
  },
});

const phone = createRoute({
  getParentRoute: () => signedIn,
  path: "/phone",
  component: lazyRouteComponent(() => import("./phone/PhonePage")),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/SettingsPage")),
});

export const router = createRouter({
  routeTree: root.addChildren([login, signedIn.addChildren([home, inboxHome, inbox, phone, settings])]),
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
