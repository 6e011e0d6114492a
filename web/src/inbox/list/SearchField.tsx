import { useEffect, useMemo, useRef, useState } from "react";
import { useText } from "../../i18n";
import { useCommands } from "../../shell/commands";
import { Icon } from "../../ui/icons";
import { Kbd } from "../../ui/Kbd";
import { usePlace } from "../place";
import styles from "./SearchField.module.css";

const moment = 250;

/** Goes from the field into what is listed below it. */
const toFirst = () => document.querySelector<HTMLElement>("[data-hit], [data-row]")?.focus();

/** Searches while one writes; the words are in the address, and follow it where somebody goes back or elsewhere. */
export function SearchField() {
  const t = useText("inbox");
  const { search, show } = usePlace();
  const [words, setWords] = useState(search.q ?? "");
  const [sent, setSent] = useState(search.q);
  const [known, setKnown] = useState(search.q);
  const field = useRef<HTMLInputElement>(null);
  const wanted = words.trim() || undefined;
  if (search.q !== known) {
    setKnown(search.q);
    if (search.q !== sent) {
      setSent(search.q);
      setWords(search.q ?? "");
    }
  }
  useEffect(() => {
    if (wanted === search.q) return;
    const next = wanted ? { ...search, q: wanted } : { ...search, q: wanted, in: undefined, since: undefined };
    const go = () => {
      setSent(wanted);
      // What is written on to is the same search: one step back leaves it.
      show({ search: next, replace: wanted !== undefined && search.q !== undefined });
    };
    const timer = setTimeout(go, wanted ? moment : 0);
    return () => clearTimeout(timer);
  }, [wanted, search, show]);
  const commands = useMemo(
    () => [{ id: "inbox.search", title: t.keys.search, group: t.title, keys: "/", run: () => field.current?.focus() }],
    [t],
  );
  useCommands(commands);
  return (
    <div className={styles.field}>
      <Icon name="search" size={16} />
      <input
        ref={field}
        type="search"
        aria-label={t.searchField}
        placeholder={t.searchField}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") {
            event.preventDefault();
            toFirst();
          }
          if (event.key !== "Escape") return;
          setWords("");
          field.current?.blur();
        }}
      />
      {words ? (
        <button type="button" aria-label={t.clearSearch} onClick={() => setWords("")}>
          <Icon name="close" size={14} />
        </button>
      ) : (
        <Kbd keys="/" />
      )}
    </div>
  );
}
