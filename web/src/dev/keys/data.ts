import { queryOptions } from "@tanstack/react-query";
import { all } from "../../api/client";

export interface Key {
  id: string;
  name: string;
  last4: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Its text is in no other answer than this one. */
export interface MadeKey {
  key: Key;
  text: string;
}

export const keysQuery = queryOptions({ queryKey: ["keys"], queryFn: () => all<Key>("/keys") });

export type KeyState = "active" | "expired" | "revoked";

export function stateOf(key: Key, now = Date.now()): KeyState {
  if (key.revoked_at) return "revoked";
  return key.expires_at && Date.parse(key.expires_at) <= now ? "expired" : "active";
}
