import { useLanguage } from "../i18n";
import { broadcasts as english } from "../i18n/en/broadcasts";
import { broadcasts as indonesian } from "../i18n/id/broadcasts";

/** The texts of broadcasts come with their pages. */
export function useBroadcasts(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
