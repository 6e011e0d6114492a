import { lazy, Suspense } from "react";
import { part } from "../../api/part";
import { useText } from "../../i18n";
import type { SuggestionsState } from "./useSuggestions";
import styles from "./Suggestions.module.css";

const VariablesDialog = lazy(() => part(() => import("./VariablesDialog")));

/** The list above the field. The field keeps the focus; arrows and Enter choose. */
export function Suggestions({ state: s }: { state: SuggestionsState }) {
  const t = useText("inbox");
  return (
    <>
      {s.options.length > 0 && (
        <ul className={styles.list} id={s.id} role="listbox" aria-label={t.suggestions}>
          {s.options.map((option, i) => (
            // The keys are handled by the field, which has the focus.
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events
            <li
              key={option.id}
              id={`${s.id}-${i}`}
              role="option"
              aria-selected={i === s.active}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => s.choose(option)}
            >
              <b>{option.title}</b>
              <span>{option.detail}</span>
            </li>
          ))}
        </ul>
      )}
      {s.asking && (
        <Suspense>
          <VariablesDialog title={s.asking.reply.name} names={s.asking.names} onDone={s.answer} />
        </Suspense>
      )}
    </>
  );
}
