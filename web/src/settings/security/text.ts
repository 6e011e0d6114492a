import { useLanguage } from "../../i18n";
import { security as english } from "../../i18n/en/security";
import { security as indonesian } from "../../i18n/id/security";

/** These texts come with the pages that show them. */
export function useSecurity(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
