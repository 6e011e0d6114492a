import type { AnyRouter } from "@tanstack/react-router";
import { beforeEach, describe, expect, it } from "vitest";
import { keepScrolls } from "./scrolls";

type Listener = (event: object) => void;

/** A router of which a test says what it does. */
class Navigation {
  private readonly listeners = new Map<string, Listener>();
  private at = { pathname: "/contacts", href: "/contacts", state: { __TSR_key: "0" } };
  readonly router = {
    history: { subscribe: (listener: Listener) => void this.listeners.set("history", listener) },
    subscribe: (name: string, listener: Listener) => void this.listeners.set(name, listener),
  } as unknown as AnyRouter;

  /** Goes somewhere; `drawn` is what the next page does when it is drawn. */
  go(type: "PUSH" | "BACK", pathname: string, key: string, drawn?: () => void): void {
    const from = this.at;
    this.at = { pathname, href: pathname, state: { __TSR_key: key } };
    this.listeners.get("history")?.({ action: { type } });
    this.listeners.get("onBeforeLoad")?.({ fromLocation: from });
    drawn?.();
    this.listeners.get("onRendered")?.({ toLocation: this.at, pathChanged: from.pathname !== pathname });
  }
}

function scroll(element: Element, top: number): void {
  element.scrollTop = top;
  element.dispatchEvent(new Event("scroll"));
}

describe("keepScrolls", () => {
  let navigation: Navigation;
  let list: Element;
  beforeEach(() => {
    Element.prototype.scrollTo = function (this: Element, to?: ScrollToOptions | number) {
      if (typeof to === "object") this.scrollTop = to.top ?? 0;
    };
    document.body.innerHTML = '<main id="content"><div><ul></ul></div></main>';
    list = document.querySelector("ul")!;
    navigation = new Navigation();
    keepScrolls(navigation.router);
  });

  it("shows a page as it was left when one comes back", () => {
    scroll(list, 700);
    navigation.go("PUSH", "/contacts/ctc_1", "1");
    navigation.go("BACK", "/contacts", "0", () => (list.scrollTop = 0));
    expect(list.scrollTop).toBe(700);
  });

  it("leaves the next page alone, whatever the one before it was scrolled to", () => {
    scroll(list, 700);
    navigation.go("PUSH", "/broadcasts", "1", () => (list.scrollTop = 30)); // it has an element in the same place
    expect(list.scrollTop).toBe(30);
  });

  it("begins another page at its top, and stays where only the filters change", () => {
    const page = list.parentElement!;
    page.scrollTop = 90;
    navigation.go("PUSH", "/contacts", "1");
    expect(page.scrollTop).toBe(90);
    navigation.go("PUSH", "/media", "2");
    expect(page.scrollTop).toBe(0);
  });

  it("does not touch the inbox, which keeps its own places", () => {
    navigation.go("PUSH", "/inbox/all", "1");
    scroll(list, 400);
    navigation.go("PUSH", "/inbox/all/cnv_1", "2");
    navigation.go("BACK", "/inbox/all", "1", () => (list.scrollTop = 12));
    expect(list.scrollTop).toBe(12);
  });

  it("gives the focus back to the link that was left by, and takes it from nothing else", () => {
    const draw = () => (list.innerHTML = '<a href="/contacts/ctc_1">1</a><a href="/contacts/ctc_2">2</a><input>');
    draw();
    list.querySelectorAll("a")[1]!.focus();
    navigation.go("PUSH", "/contacts/ctc_2", "1", () => (list.innerHTML = ""));
    navigation.go("BACK", "/contacts", "0", draw);
    expect(document.activeElement?.getAttribute("href")).toBe("/contacts/ctc_2");
    navigation.go("PUSH", "/contacts/ctc_2", "1", () => (list.innerHTML = ""));
    navigation.go("BACK", "/contacts", "0", () => {
      draw();
      list.querySelector("input")!.focus();
    });
    expect(document.activeElement?.localName).toBe("input");
  });
});
