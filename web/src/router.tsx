import {
  createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, type ErrorComponentProps,
} from "@tanstack/react-router";
import { part } from "./api/part";
import { meQuery, queryClient } from "./api/queries";
import { streamOnline } from "./api/stream";
import { broadcastSearchOf, broadcastsSearchOf, type BroadcastSearch, type BroadcastsSearch } from "./broadcasts/address";
import { contactsSearchOf } from "./contacts/address";
import type { CustomersSearch } from "./customers/data";
import { inboxSearchOf, type InboxSearch } from "./inbox/address";
import { timelineQuery } from "./inbox/data/timeline";
import type { MediaSearch } from "./media/data";
import type { NumbersFilter } from "./numbers/data";
import { NewVersion } from "./shell/NewVersion";
import { keepScrolls } from "./shell/scrolls";
import { Shell } from "./shell/Shell";
import { isMissingPart } from "./shell/version";
import type { BuilderSearch, TemplatesSearch } from "./templates/address";
import { ErrorState } from "./ui/ErrorState";
import { NotFound } from "./ui/NotFound";
import { Pending } from "./ui/Pending";

export type { InboxSearch };

function Failed({ error, reset }: ErrorComponentProps) {
  if (isMissingPart(error) && streamOnline()) return <NewVersion />;
  return <ErrorState error={error} retry={reset} />;
}

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: Failed });

/** Pages without a session. */
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search: { return?: string }): { return?: string } => search,
  component: lazyRouteComponent(() => part(() => import("./auth/LoginPage"))),
});

/** Where people come back to from the identity provider. */
const sso = createRoute({
  getParentRoute: () => root,
  path: "/login/sso",
  validateSearch: (search: Record<string, string | undefined>): Record<string, string | undefined> => search,
  component: lazyRouteComponent(() => part(() => import("./auth/sso/SSOPage"))),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => part(() => import("./auth/SetupPage"))),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: "/invite/$token",
  component: lazyRouteComponent(() => part(() => import("./auth/InvitePage"))),
});

/** Pages with a session stand inside the shell, which waits until it is known who is signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  loader: () => queryClient.ensureQueryData(meQuery),
});

/** Any other address: the rail stays, so that one can go on from there. */
const elsewhere = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFound });

/** What the address of the first page may say: how many days, and of which number. */
export interface HomeSearch {
  days?: 1 | 7 | 30 | 90;
  number?: string;
}

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  validateSearch: (search: HomeSearch): HomeSearch => search,
  component: lazyRouteComponent(() => part(() => import("./home/HomePage"))),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbox/$view/{-$conversation}",
  validateSearch: (search: InboxSearch) => inboxSearchOf(search),
  loaderDeps: ({ search }) => ({ item: search.item }),
  // It is also called when the pointer rests on a row: the thread is mostly there when the row is pressed.
  loader: ({ params: { conversation }, deps }) => {
    if (conversation) void queryClient.prefetchInfiniteQuery(timelineQuery(conversation, deps.item));
  },
  component: lazyRouteComponent(() => part(() => import("./inbox/InboxPage"))),
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
  component: lazyRouteComponent(() => part(() => import("./phone/PhonePage"))),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  component: lazyRouteComponent(() => part(() => import("./settings/SettingsPage"))),
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
  component: lazyRouteComponent(() => part(() => import("./settings/me/MePage"))),
});

const settingsOrg = createRoute({
  getParentRoute: () => settings,
  path: "/org",
  component: lazyRouteComponent(() => part(() => import("./settings/org/OrganizationPage"))),
});

const settingsUsers = createRoute({
  getParentRoute: () => settings,
  path: "/users",
  component: lazyRouteComponent(() => part(() => import("./settings/users/UsersPage"))),
});

const settingsTeams = createRoute({
  getParentRoute: () => settings,
  path: "/teams",
  component: lazyRouteComponent(() => part(() => import("./settings/teams/TeamsPage"))),
});

const settingsLabels = createRoute({
  getParentRoute: () => settings,
  path: "/labels",
  component: lazyRouteComponent(() => part(() => import("./settings/labels/LabelsPage"))),
});

const settingsWords = createRoute({
  getParentRoute: () => settings,
  path: "/words",
  component: lazyRouteComponent(() => part(() => import("./settings/words/WordsPage"))),
});

const settingsReplies = createRoute({
  getParentRoute: () => settings,
  path: "/replies",
  component: lazyRouteComponent(() => part(() => import("./settings/replies/RepliesPage"))),
});

const settingsUsage = createRoute({
  getParentRoute: () => settings,
  path: "/usage",
  component: lazyRouteComponent(() => part(() => import("./settings/usage/UsagePage"))),
});

const settingsAudit = createRoute({
  getParentRoute: () => settings,
  path: "/audit",
  validateSearch: (search: Record<string, string | undefined>): Record<string, string | undefined> => search,
  component: lazyRouteComponent(() => part(() => import("./settings/audit/AuditPage"))),
});
/** The router reads what looks like a number as one, also the id of a phone number. */
const textsOf = <Search extends object>(search: Search): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, typeof value === "number" ? String(value) : value])) as Search;

/** The developers' console. */
const dev = createRoute({
  getParentRoute: () => signedIn,
  path: "/dev",
  component: lazyRouteComponent(() => part(() => import("./dev/DevPage"))),
});

const devHome = createRoute({
  getParentRoute: () => dev,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/dev/keys" });
  },
});

const devKeys = createRoute({
  getParentRoute: () => dev,
  path: "/keys",
  component: lazyRouteComponent(() => part(() => import("./dev/keys/KeysPage"))),
});

/** The console's lists take what they are narrowed to, and what of them is open, from the address. */
type DevSearch = Record<string, string | undefined>;
const asGiven = (search: DevSearch): DevSearch => search;

const devLogs = createRoute({
  getParentRoute: () => dev,
  path: "/logs",
  validateSearch: asGiven,
  component: lazyRouteComponent(() => part(() => import("./dev/logs/LogsPage"))),
});

const devEvents = createRoute({
  getParentRoute: () => dev,
  path: "/events",
  validateSearch: asGiven,
  component: lazyRouteComponent(() => part(() => import("./dev/events/EventsPage"))),
});

const devWebhooks = createRoute({
  getParentRoute: () => dev,
  path: "/webhooks",
  component: lazyRouteComponent(() => part(() => import("./dev/webhooks/WebhooksPage"))),
});

const devEndpoint = createRoute({
  getParentRoute: () => dev,
  path: "/webhooks/$endpoint",
  validateSearch: asGiven,
  component: lazyRouteComponent(() => part(() => import("./dev/webhooks/EndpointPage"))),
});

const devDeliveries = createRoute({
  getParentRoute: () => dev,
  path: "/deliveries",
  validateSearch: asGiven,
  component: lazyRouteComponent(() => part(() => import("./dev/deliveries/DeliveriesPage"))),
});

const devReference = createRoute({
  getParentRoute: () => dev,
  path: "/reference",
  validateSearch: asGiven,
  component: lazyRouteComponent(() => part(() => import("./dev/reference/ReferencePage"))),
});

const devFind = createRoute({
  getParentRoute: () => dev,
  path: "/find",
  validateSearch: asGiven,
  component: lazyRouteComponent(() => part(() => import("./dev/find/FindPage"))),
});

const contacts = createRoute({
  getParentRoute: () => signedIn,
  path: "/contacts",
  validateSearch: contactsSearchOf,
  component: lazyRouteComponent(() => part(() => import("./contacts/ContactsPage"))),
});

const contactsImport = createRoute({
  getParentRoute: () => signedIn,
  path: "/contacts/import",
  component: lazyRouteComponent(() => part(() => import("./contacts/ImportPage"))),
});

const contact = createRoute({
  getParentRoute: () => signedIn,
  path: "/contacts/$id",
  component: lazyRouteComponent(() => part(() => import("./contacts/ContactPage"))),
});

/** Broadcasts: the list, a new one, and one by its id. */
const broadcasts = createRoute({
  getParentRoute: () => signedIn,
  path: "/broadcasts",
  validateSearch: (search: BroadcastsSearch) => broadcastsSearchOf({ ...search }),
  component: lazyRouteComponent(() => part(() => import("./broadcasts/BroadcastsPage"))),
});

const broadcastNew = createRoute({
  getParentRoute: () => signedIn,
  path: "/broadcasts/new",
  component: lazyRouteComponent(() => part(() => import("./broadcasts/NewBroadcastPage"))),
});

const broadcast = createRoute({
  getParentRoute: () => signedIn,
  path: "/broadcasts/$id",
  validateSearch: (search: BroadcastSearch) => broadcastSearchOf({ ...search }),
  component: lazyRouteComponent(() => part(() => import("./broadcasts/BroadcastPage"))),
});

/** What of the list is shown. Where connecting a number leads back to says how it went. */
export interface NumbersSearch extends NumbersFilter {
  status?: string;
  reason?: string;
}

const numbers = createRoute({
  getParentRoute: () => signedIn,
  path: "/numbers",
  validateSearch: ({ status, reason, q, troubled }: NumbersSearch): NumbersSearch => ({
    status, reason, q: typeof q === "string" ? q : undefined, troubled: troubled === true || undefined,
  }),
  component: lazyRouteComponent(() => part(() => import("./numbers/NumbersPage"))),
});

const number = createRoute({
  getParentRoute: () => signedIn,
  path: "/numbers/$number",
  validateSearch: ({ days, code }: { days?: HomeSearch["days"]; code?: string }): { days?: HomeSearch["days"]; code?: string } => ({ days, code }),
  component: lazyRouteComponent(() => part(() => import("./numbers/NumberPage"))),
});

const customers = createRoute({
  getParentRoute: () => signedIn,
  path: "/customers",
  validateSearch: ({ search, status }: CustomersSearch): CustomersSearch => ({ search, status }),
  component: lazyRouteComponent(() => part(() => import("./customers/CustomersPage"))),
});

const customer = createRoute({
  getParentRoute: () => signedIn,
  path: "/customers/$id",
  component: lazyRouteComponent(() => part(() => import("./customers/CustomerPage"))),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates",
  validateSearch: (search: TemplatesSearch) => textsOf(search),
  component: lazyRouteComponent(() => part(() => import("./templates/TemplatesPage"))),
});

const templateNew = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates/new",
  validateSearch: (search: BuilderSearch) => textsOf(search),
  component: lazyRouteComponent(() => part(() => import("./templates/builder/BuilderPage"))),
});

const template = createRoute({
  getParentRoute: () => signedIn,
  path: "/templates/$name",
  validateSearch: (search: { number?: string }) => textsOf(search),
  component: lazyRouteComponent(() => part(() => import("./templates/TemplatePage"))),
});

const media = createRoute({
  getParentRoute: () => signedIn,
  path: "/media",
  validateSearch: (search: MediaSearch) => textsOf(search),
  component: lazyRouteComponent(() => part(() => import("./media/MediaPage"))),
});

const operator = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator",
  component: lazyRouteComponent(() => part(() => import("./operator/OperatorPage"))),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    sso,
    setup,
    invite,
    signedIn.addChildren([home, inboxHome, inbox, contacts, contactsImport, contact, templates, templateNew, template, media, broadcasts, broadcastNew, broadcast, numbers, number, customers, customer, operator, phone, elsewhere, settings.addChildren([
        settingsHome,
        settingsMe,
        settingsOrg,
        settingsUsers,
        settingsTeams,
        settingsLabels,
        settingsReplies,
        settingsUsage,
        settingsAudit,
        settingsWords,
      ]), dev.addChildren([devHome, devKeys, devLogs, devEvents, devWebhooks, devEndpoint, devDeliveries, devReference, devFind])]),
  ]),
  defaultErrorComponent: Failed,
  defaultPendingComponent: Pending,
  defaultNotFoundComponent: NotFound,
  defaultPreload: "intent",
});

keepScrolls(router);

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
