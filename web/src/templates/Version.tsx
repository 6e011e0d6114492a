import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useIsAdmin } from "../api/queries";
import { useLanguage } from "../i18n";
import { CopyId } from "../inbox/context/CopyId";
import { Icon } from "../ui/icons";
import { LinkButton } from "../ui/LinkButton";
import { Time } from "../ui/Time";
import { PhonePreview } from "./builder/PhonePreview";
import { formOf } from "./builder/form";
import { historyQuery, type Change, type FullTemplate } from "./data";
import { DeleteTemplate } from "./DeleteTemplate";
import { HistoryList, QualityStrip } from "./HistoryList";
import { languageName } from "../ui/languageName";
import { QualityText, StatusText, useTrouble } from "./parts";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

/** A template in one language: how it looks, where it stands, and what happened to it. */
export function Version({ number, template: x, alone }: { number: string; template: FullTemplate; alone: boolean }) {
  const t = useTemplateText();
  const reader = useLanguage();
  const history = useQuery(historyQuery(number, x.name, x.language)).data;
  const language = languageName(x.language, reader);
  return (
    <article className={styles.version} aria-label={language}>
      <header>
        <h2>{language}</h2>
        <span className="mono">{x.language}</span>
        <StatusText status={x.provider_status} />
      </header>
      <Trouble number={number} template={x} changes={history?.changes ?? []} />
      <PhonePreview form={formOf(x, history?.samples)} label={`${t.asSeen} (${language})`} />
      <dl className={styles.facts}>
        <dt>{t.category}</dt>
        <dd>{x.category && (t.categories[x.category] ?? x.category)}</dd>
        <dt>{t.quality}</dt>
        <dd><QualityText quality={x.quality} /></dd>
        <dt>{t.since}</dt>
        <dd><Time value={x.created_at} fact /></dd>
        {x.provider_template_id && (
          <>
            <dt>{t.providerId}</dt>
            <dd><CopyId value={x.provider_template_id} /></dd>
          </>
        )}
      </dl>
      {history && <QualityStrip template={x} changes={history.changes} />}
      <section>
        <h3>{t.history}</h3>
        {history && <HistoryList changes={history.changes} />}
      </section>
      <Actions number={number} template={x} alone={alone} language={language} />
    </article>
  );
}

/** Why it cannot be sent as it is, in words, what the provider says itself, and the way on. */
function Trouble({ number, template: x, changes }: { number: string; template: FullTemplate; changes: Change[] }) {
  const t = useTemplateText();
  const admin = useIsAdmin();
  const trouble = useTrouble(x);
  if (!trouble) return null;
  const said = changes.find((c) => c.aspect === "status" && c.value === x.provider_status)?.detail;
  const rejected = x.provider_status === "REJECTED";
  return (
    <section className={styles.trouble} data-tone={x.provider_status === "PENDING" || x.provider_status === "IN_APPEAL" ? "quiet" : x.status === "rejected" ? "bad" : "warn"}>
      <Icon name={x.provider_status === "PENDING" ? "clock" : "warning"} size={18} />
      <div>
        {rejected && <h3>{t.why}</h3>}
        <p>{trouble.what}</p>
        {rejected && <h3>{t.todo}</h3>}
        <p>{trouble.change}</p>
        {said && <p className={styles.said}>{t.provider}: “{said}”</p>}
        {rejected && admin && (
          <LinkButton size="compact-md" variant="default" to="/templates/new" search={{ number, edit: x.name, language: x.language }}>
            {t.editAgain}
          </LinkButton>
        )}
      </div>
    </section>
  );
}

function Actions({ number, template: x, alone, language }: { number: string; template: FullTemplate; alone: boolean; language: string }) {
  const t = useTemplateText();
  const [deleting, setDeleting] = useState(false);
  const editable = ["APPROVED", "REJECTED", "PAUSED"].includes(x.provider_status);
  if (!useIsAdmin()) return null;
  return (
    <div className={styles.actions}>
      {editable && (
        <LinkButton variant="default" to="/templates/new" search={{ number, edit: x.name, language: x.language }} aria-label={`${t.edit} ${language}`}>{t.edit}</LinkButton>
      )}
      <Button variant="default" c="var(--red)" aria-label={t.deleteOne(language)} onClick={() => setDeleting(true)}>{t.delete}</Button>
      {deleting && <DeleteTemplate number={number} name={x.name} language={x.language} last={alone} close={() => setDeleting(false)} />}
    </div>
  );
}
