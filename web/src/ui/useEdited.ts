import { useState } from "react";

/**
 * What a form shows: what is stored, and over it what somebody edited. Fields that nobody touched follow what is stored, so
 * that saving one of them does not take back what a colleague changed in another.
 */
export function useEdited<T extends object>(stored: T) {
  const [edited, setEdited] = useState<Partial<T>>({});
  return {
    now: { ...stored, ...edited },
    edit: (change: Partial<T>) => setEdited((before) => ({ ...before, ...change })),
    /** What was sent is stored now. What was typed since then stays. */
    saved: (sent: T) =>
      setEdited((before) => {
        const left = Object.entries(before).filter(([name, value]) => value !== sent[name as keyof T]);
        return Object.fromEntries(left) as Partial<T>;
      }),
  };
}
