import { useLanguage, type Language } from "../i18n";
import { clock, comingTime, factTime, longTime, relativeTime, shortTime, useNow } from "./times";

const forms = { relative: (value: string, language: Language, now: Date) => relativeTime(value, language, now.getTime()), clock, coming: comingTime, fact: factTime, short: shortTime };

interface Props {
  value: string;
  relative?: boolean;
  coming?: boolean;
  fact?: boolean;
  /** The time of day alone, below a heading with the day. */
  ofDay?: boolean;
}

/** An instant in the reader's zone and language; the whole of it is in the title. */
export function Time({ value, relative, coming, fact, ofDay }: Props) {
  const form = ofDay ? "clock" : relative ? "relative" : coming ? "coming" : fact ? "fact" : "short";
  const language = useLanguage();
  const now = useNow();
  return (
    <time dateTime={value} title={longTime(value, language)}>
      {forms[form](value, language, now)}
    </time>
  );
}
