import { useText } from "../../../i18n";
import { safeLink } from "../../text/format";
import type { AdReferral } from "./shapes";
import styles from "./Card.module.css";

/** The advertisement through which somebody came. */
export function Referral({ referral }: { referral: AdReferral }) {
  const t = useText("inbox");
  const href = safeLink(referral.source_url);
  const words = (
    <>
      <small>{t.fromAd}</small>
      {referral.headline && <b>{referral.headline}</b>}
      {referral.body && <span>{referral.body}</span>}
    </>
  );
  if (!href) return <div className={styles.referral}>{words}</div>;
  return (
    <a className={styles.referral} href={href} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  );
}
