import { useLanguage, type Language } from "../i18n";
import { comingTime, factTime, longTime, relativeTime, shortTime, useNow } from "./times";

const forms = { relative: (value: string, language: Language, now: Date) => relativeTime(value, language, now.getTime()), coming: comingTime, fact: factTime, short: shortTime };

/** An instant in the reader's zone and language; the whole of it is in the title. */
export function Time({ value, relative, coming, fact }: { value: string; relative?: boolean; coming?: boolean; fact?: boolean }) {
  const form = relative ? "relative" : coming ? "coming" : fact ? "fact" : "short";
  const language = useLanguage();
  const now = useNow();
  return (
    <time dateTime={value} title={longTime(value, language)}>
      {forms[form](value, language, now)}
    </time>
  );
}
