import { Loader } from "@mantine/core";
import { Later } from "./Later";
import styles from "./states.module.css";

/** In the place of a page that takes a moment to come: whoever pressed its link sees that it was heard. */
export function Pending() {
  return (
    <div className={styles.pending}>
      <Later>
        <Loader color="var(--faint)" size="sm" />
      </Later>
    </div>
  );
}
