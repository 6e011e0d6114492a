import { useEffect } from "react";
import { useStore } from "../ui/store";
import { pageTitles } from "../ui/title";
import { countText, useUnread } from "./useUnread";

const plain = "/favicon.svg";

/** The favicon with a dot in its corner: a count would be too small to read. */
const marked = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0a7657"/>' +
    '<path d="M12 24V8h5.2a4.9 4.9 0 0 1 0 9.8H12" fill="none" stroke="#fff" stroke-width="3.2" ' +
    'stroke-linecap="round" stroke-linejoin="round"/><circle cx="25" cy="7" r="7" fill="#e5484d"/></svg>',
)}`;

/**
 * Shows the page's name and the number of unread conversations in the tab's title, and that there are some in its icon.
 * It is a component, so that a new count draws nothing else again.
 */
export function UnreadTitle(): null {
  const unread = useUnread();
  const some = unread > 0;
  const page = useStore(pageTitles).at(-1)?.name;
  useEffect(() => {
    const title = page ? `${page} · Parley` : "Parley";
    document.title = some ? `(${countText(unread)}) ${title}` : title;
    return () => {
      document.title = "Parley";
    };
  }, [some, unread, page]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (!icon || !some) return;
    icon.href = marked;
    return () => {
      icon.href = plain;
    };
  }, [some]);
  return null;
}
