import { useLanguage } from "../i18n";
import { dev as english } from "../i18n/en/dev";
import { dev as indonesian } from "../i18n/id/dev";

/** The console's texts come with its pages: those who never open it do not load them. */
export function useDev(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
