import { useLanguage } from "../i18n";
import { media as english } from "../i18n/en/media";
import { media as indonesian } from "../i18n/id/media";

/** The library's texts come with it. */
export function useMediaText(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
