import { FormattedText } from "../../text/FormattedText";
import styles from "./Media.module.css";

export function Caption({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <div className={styles.caption}>
      <FormattedText text={text} />
    </div>
  );
}
