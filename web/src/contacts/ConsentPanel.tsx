import { Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { Panel } from "../settings/Section";
import { Time } from "../ui/Time";
import { toastError } from "../ui/toasts";
import styles from "./ContactPage.module.css";
import { ConsentText } from "./ContactRow";
import { changeContact, type ContactDetail } from "./data";

/** What the person wants of marketing, and who changed it. */
export function ConsentPanel({ detail }: { detail: ContactDetail }) {
  const t = useText("contacts");
  const admin = useIsAdmin();
  const client = useQueryClient();
  const { contact: c, consent_history: history } = detail;
  const change = (consent: string | null) =>
    void changeContact(c, { marketing_consent: consent })
      .then(() => client.invalidateQueries({ queryKey: ["contacts"] }), toastError);
  return (
    <Panel title={t.consent}>
      {admin ? (
        <Select aria-label={t.consent} maw={260} mb={14} allowDeselect={false} value={c.marketing_consent} onChange={change}
          data={Object.entries(t.consents).map(([value, label]) => ({ value, label }))} />
      ) : (
        <p><ConsentText consent={c.marketing_consent} /></p>
      )}
      {history.length === 0 ? (
        <p className={styles.quiet}>{t.consentNever}</p>
      ) : (
        <ul className={styles.plain} aria-label={t.consentHistory}>
          {history.map((h) => (
            <li key={h.at + h.source}>
              <ConsentText consent={h.consent} />
              <span>{t.consentBy[h.source](h.by?.name ?? "")}</span>
              <span className={styles.quiet}><Time value={h.at} /></span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
