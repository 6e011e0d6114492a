import { useLanguage } from "../../i18n";
import { pagesSince, type Filters } from "../../dev/parts/filters";
import { audit as english } from "../../i18n/en/audit";
import { audit as indonesian } from "../../i18n/id/audit";

export interface Entry {
  id: string;
  at: string;
  by: { kind: "user" | "key" | "operator" | "link"; id: string | null; name: string; address: string | null };
  action: string;
  object: { id: string | null; name: string | null };
  details: Record<string, string>;
}

/** The page's texts come with it. */
export function useAudit(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}

/** What the server narrows the log by. */
export function auditFilter({ by, action, object, since }: Filters): Filters {
  return { by, action, object, since };
}

/** The log grows with everything that is done: it is fetched anew whenever the page is opened. */
export const auditQuery = (filter: Filters) => ({ ...pagesSince<Entry>("audit", "/audit", "from", filter), staleTime: 0 });
