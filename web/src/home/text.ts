import { useLanguage } from "../i18n";
import { home as english } from "../i18n/en/home";
import { home as indonesian } from "../i18n/id/home";

/** The first page's texts come with it. */
export function useHome(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
