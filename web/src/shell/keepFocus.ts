/** What can be reached by the keyboard, as far as it can be told without drawing it. */
const reachable = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)";

const reachableIn = (element: Element): HTMLElement[] => [...element.querySelectorAll<HTMLElement>(reachable)];

/** An element in the page, with all that it is in, and at which place each of them was. */
type Way = { element: Element; index: number }[];

function wayTo(target: Element): Way {
  const way: Way = [];
  for (let element: Element | null = target; element && element.id !== "content"; element = element.parentElement)
    way.push({ element, index: [...(element.parentElement?.children ?? [])].indexOf(element) });
  return way;
}

/** What stands in the place of something that is gone: the same control of the next row, else what its part of the page has. */
export function heirOf(way: Way): HTMLElement | undefined {
  const first = way[0]?.element;
  const at = way.findIndex(({ element }) => element.isConnected);
  const [gone, around] = [way[at - 1], way[at]?.element];
  if (!first || !gone || !around) return undefined;
  if (around.matches("ul, ol, tbody")) {
    const row = around.children[Math.min(gone.index, around.children.length - 1)];
    const controls = row ? reachableIn(row) : [];
    const heir = controls[Math.min(Math.max(0, reachableIn(gone.element).indexOf(first as HTMLElement)), controls.length - 1)];
    if (heir) return heir;
  }
  const part = around.closest("#content :is(li, section, header)");
  return (part && reachableIn(part)[0]) ?? undefined;
}

/** The name of the page, which can have the focus. */
const title = () => document.querySelector<HTMLElement>("#content h1") ?? undefined;

/** After this long whoever knows better where the focus belongs has put it there. */
const moment = 50;

/**
 * Who works by the keyboard goes on where they were, when what had the focus is gone: a row that was deleted, a button
 * that made place for another, or a dialog that had followed upon another. On another page they begin anew.
 */
export function keepFocus(): () => void {
  let last: Element | undefined; // what had the focus
  let place: Way = []; // where it was in the page, while dialogs and menus lie over it
  let page = "";
  let soon: ReturnType<typeof setTimeout> | undefined;
  const enter = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    last = target;
    page = location.pathname;
    if (target.closest("#content")) place = wayTo(target);
    else if (target.closest("nav")) place = [];
  };
  // A button that is busy is disabled, and loses the focus: nobody has left it.
  const leave = ({ target }: FocusEvent) =>
    void setTimeout(() => {
      if (target !== last || !last?.isConnected || last.matches(":disabled") || document.activeElement !== document.body) return;
      // Nor is it given back when a menu that is opened next is closed: keys would be text in a field that was left.
      last = undefined;
      place = [];
    });
  const find = () => {
    soon = undefined;
    if (!last || (last.isConnected && last.matches(":disabled"))) return;
    if (document.activeElement !== document.body || document.querySelector("[aria-modal=true]")) return;
    last = undefined;
    if (place.length === 0 || page !== location.pathname) return;
    const before = place[0]?.element;
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    else (heirOf(place) ?? title())?.focus();
  };
  const look = () => {
    if (last && document.activeElement === document.body) soon ??= setTimeout(find, moment);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", enter);
  document.addEventListener("focusout", leave);
  return () => {
    clearTimeout(soon);
    observer.disconnect();
    document.removeEventListener("focusin", enter);
    document.removeEventListener("focusout", leave);
  };
}
