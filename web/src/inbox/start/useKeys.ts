import { useState } from "react";
import { idempotencyKey } from "../../api/client";

/** A key for each thing that is sent: the same once more has the same one, and something else another. */
export function useKeys(): (sent: unknown) => string {
  const [keys] = useState(() => new Map<string, string>());
  return (sent) => {
    const name = JSON.stringify(sent);
    const key = keys.get(name) ?? idempotencyKey();
    keys.set(name, key);
    return key;
  };
}
