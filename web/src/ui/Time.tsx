import { useLanguage } from "../i18n";
import { comingTime, longTime, relativeTime, shortTime, useNow } from "./times";

/** An instant in the reader's zone and language; the whole of it is in the title. */
export function Time({ value, relative = false, coming = false }: { value: string; relative?: boolean; coming?: boolean }) {
  const language = useLanguage();
  const now = useNow();
  return (
    <time dateTime={value} title={longTime(value, language)}>
      {relative ? relativeTime(value, language, now.getTime()) : coming ? comingTime(value, language, now) : shortTime(value, language, now)}
    </time>
  );
}
