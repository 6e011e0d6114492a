import { useLanguage } from "../i18n";
import { numbers as english } from "../i18n/en/numbers";
import { numbers as indonesian } from "../i18n/id/numbers";

/** The texts of these pages come with them. */
export function useNumbers(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
