import { useLanguage } from "../i18n";
import { templates as english } from "../i18n/en/templates";
import { templates as indonesian } from "../i18n/id/templates";

/** The texts of these pages come with them. */
export function useTemplateText(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
