import type { AnyRouter, ParsedLocation, RouterHistory } from "@tanstack/react-router";

/** What was scrolled at a place in the history: the path of each element, and how far down it was. */
type Scrolls = Map<string, number>;

const keyOf = (location: ParsedLocation): string => location.state.__TSR_key ?? location.href;

/** So many places are kept; going further back shows a page from the top. */
const mostPlaces = 50;

/** The inbox keeps its own places: what comes in moves them. */
const keepsItself = (location: ParsedLocation): boolean => location.pathname.startsWith("/inbox");

/** Where an element is in the page, as a selector. */
export function pathOf(element: Element): string {
  const parent = element.parentElement;
  if (!parent) return element.localName;
  const index = [...parent.children].indexOf(element) + 1;
  return `${pathOf(parent)} > ${element.localName}:nth-child(${index})`;
}

/** Who goes through a list by the keyboard goes on from the row that was open, unless something else has the focus. */
function focusLink(href: string | undefined): void {
  if (!href || document.activeElement !== document.body) return;
  const links = [...document.querySelectorAll<HTMLElement>("#content a")];
  links.find((link) => link.getAttribute("href") === href)?.focus({ preventScroll: true });
}

/**
 * Going back shows a page scrolled as it was left; any other way shows it from the top. The router's own restoration
 * would also scroll the next page, or the next conversation, as the one before.
 */
export function keepScrolls(router: AnyRouter): void {
  const places = new Map<string, Scrolls>();
  const links = new Map<string, string>(); // the link that was left by, for each place
  const scrolled = new Set<Element>();
  let back = false;
  document.addEventListener("scroll", ({ target }) => target instanceof Element && scrolled.add(target), { capture: true, passive: true });
  (router.history as RouterHistory).subscribe(({ action }) => {
    back = action.type === "BACK" || action.type === "FORWARD" || action.type === "GO";
  });
  router.subscribe("onBeforeLoad", ({ fromLocation }) => {
    const left = [...scrolled].filter((element) => element.isConnected);
    scrolled.clear();
    if (!fromLocation || keepsItself(fromLocation)) return;
    places.set(keyOf(fromLocation), new Map(left.map((element) => [pathOf(element), element.scrollTop])));
    const link = document.activeElement?.closest("#content a")?.getAttribute("href");
    if (link) links.set(keyOf(fromLocation), link);
    else links.delete(keyOf(fromLocation));
    for (const kept of [places, links]) if (kept.size > mostPlaces) kept.delete(kept.keys().next().value ?? "");
  });
  router.subscribe("onRendered", ({ toLocation, pathChanged }) => {
    if (back) {
      places.get(keyOf(toLocation))?.forEach((top, path) => document.querySelector(path)?.scrollTo({ top }));
      focusLink(links.get(keyOf(toLocation)));
    } else if (pathChanged) document.querySelector("#content > :last-child")?.scrollTo({ top: 0 });
    back = false;
  });
}
