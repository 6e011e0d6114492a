import { useLanguage } from "../../i18n";
import { longTime } from "../../ui/times";
import { precise } from "./format";

/** An instant to the second. */
export function Clock({ value }: { value: string }) {
  const language = useLanguage();
  return (
    <time dateTime={value} title={longTime(value, language)}>
      {precise(value, language)}
    </time>
  );
}
