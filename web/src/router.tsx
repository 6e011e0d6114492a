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
  validateSearch: (search: { return?: string }): { return?: string } => search,
  component: lazyRouteComponent(() => import("./auth/LoginPage")),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => import("./auth/SetupPage")),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: "/invite/$token",
  component: lazyRouteComponent(() => import("./auth/InvitePage")),
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

const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/settings/me" });
  },
});

const settingsMe = createRoute({
  getParentRoute: () => settings,
  path: "/me",
  component: lazyRouteComponent(() => import("./settings/me/MePage")),
});

const settingsUsers = createRoute({
  getParentRoute: () => settings,
  path: "/users",
  component: lazyRouteComponent(() => import("./settings/users/UsersPage")),
});

const settingsTeams = createRoute({
  getParentRoute: () => settings,
  path: "/teams",
  component: lazyRouteComponent(() => import("./settings/teams/TeamsPage")),
});

const settingsLabels = createRoute({
  getParentRoute: () => settings,
  path: "/labels",
  component: lazyRouteComponent(() => import("./settings/labels/LabelsPage")),
});

const settingsReplies = createRoute({
  getParentRoute: () => settings,
  path: "/replies",
  component: lazyRouteComponent(() => import("./settings/replies/RepliesPage")),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    setup,
    invite,
    signedIn.addChildren([home, inboxHome, inbox, phone, settings.addChildren([
        settingsHome,
        settingsMe,
        settingsUsers,
        settingsTeams,
        settingsLabels,
        settingsReplies,
      ])]),
  ]),
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
