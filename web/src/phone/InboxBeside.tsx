import {
  createMemoryHistory, createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect, RouterProvider,
} from "@tanstack/react-router";
import { useEffect } from "react";
import { part } from "../api/part";
import { leaveRoom } from "../inbox/context/shown";
import { inboxSearchOf, type InboxSearch } from "../inbox/address";
import { ErrorState } from "../ui/ErrorState";
import { Titled } from "../ui/title";

// The inbox has an address of its own beside the phone's: its routes are the same as in the whole window, in a
// history that the window does not show.
const root = createRootRoute();
const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in", component: Outlet });
const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "/inbox/$view/{-$conversation}",
  validateSearch: (search: InboxSearch) => inboxSearchOf(search),
  component: lazyRouteComponent(() => part(() => import("../inbox/InboxPage"))),
});
const elsewhere = createRoute({
  getParentRoute: () => signedIn,
  path: "$",
  beforeLoad: ({ location }) => {
    if (location.pathname.startsWith("/inbox")) throw redirect({ to: "/inbox/$view/{-$conversation}", params: { view: "all" } });
    window.location.assign(location.href);
  },
});

const router = createRouter({
  routeTree: root.addChildren([signedIn.addChildren([inbox, elsewhere])]),
  history: createMemoryHistory({ initialEntries: ["/inbox/all"] }),
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
});

/** The width of the phone's side, as the style sheet has it. */
const side = 400;

export default function InboxBeside() {
  useEffect(() => {
    leaveRoom(side);
    return () => leaveRoom(0);
  }, []);
  return (
    <Titled value={false}>
      <RouterProvider router={router as never} />
    </Titled>
  );
}
