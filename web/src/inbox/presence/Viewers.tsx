import type { Presence } from "../../api/types";
import { useText } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import styles from "./Viewers.module.css";

/** Colleagues who look at this conversation or write in it now. */
export function Viewers({ people }: { people: Presence[] }) {
  const t = useText("inbox");
  const names = (state: Presence["state"]) => people.filter((p) => p.state === state).map((p) => p.name);
  const [replying, viewing] = [names("replying"), names("viewing")];
  const words = replying.length > 0 ? t.replying(replying) : viewing.length > 0 ? t.viewing(viewing) : "";
  return (
    <div className={styles.viewers} aria-live="polite" data-replying={replying.length > 0 || undefined}>
      {people.map((p) => (
        <Avatar key={p.id} name={p.name} id={p.id} size={18} />
      ))}
      {words}
    </div>
  );
}
