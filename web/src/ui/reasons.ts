import { useLanguage } from "../i18n";
import { reasons as english } from "../i18n/en/reasons";
import { reasons as indonesian } from "../i18n/id/reasons";

/** Says why a message failed. A reason that is newer than this page stands for itself. */
export function useReason(): (code: string) => string {
  const texts = useLanguage() === "id" ? indonesian : english;
  return (code) => texts[code] ?? code;
}
