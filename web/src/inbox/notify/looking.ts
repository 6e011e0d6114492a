import { useEffect, useState } from "react";

const lockOf = (id: string) => `parley-looks-at ${id}`;

/** Whether somebody looks at this page. */
export function useLooking(): boolean {
  const now = () => document.visibilityState === "visible" && document.hasFocus();
  const [looking, setLooking] = useState(now);
  useEffect(() => {
    const look = () => setLooking(now());
    const events = ["focus", "blur"] as const;
    events.forEach((name) => window.addEventListener(name, look));
    document.addEventListener("visibilitychange", look);
    return () => {
      events.forEach((name) => window.removeEventListener(name, look));
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return looking;
}

/** Without TLS, and not on localhost, browsers have no locks. */
const locks = () => navigator.locks as LockManager | undefined;

/** Tells all tabs that somebody looks at a thread, by a lock that ends with this tab. */
export function useLooksAt(id: string): void {
  const looking = useLooking();
  useEffect(() => {
    const manager = locks();
    if (!looking || !manager) return;
    let end: () => void = () => undefined;
    const over = new Promise<void>((done) => (end = done));
    void manager.request(lockOf(id), { mode: "shared" }, () => over);
    return () => end();
  }, [id, looking]);
}

/** Whether somebody looks at a thread, in any tab. */
export async function isLookedAt(id: string): Promise<boolean> {
  const held = (await locks()?.query())?.held ?? [];
  if (held.some((lock) => lock.name === lockOf(id))) return true;
  return document.hasFocus() && location.pathname.endsWith(`/${id}`);
}
