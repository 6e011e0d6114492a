import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLanguage } from "../i18n";
import { plainText } from "../inbox/text/format";
import { EmptyState } from "../ui/EmptyState";
import { IconButton } from "../ui/IconButton";
import { LinkButton } from "../ui/LinkButton";
import { Loaded } from "../ui/Loaded";
import { Time } from "../ui/Time";
import { toast, toastError } from "../ui/toasts";
import { deleteDraft, draftsQuery, saveDraft, type Draft } from "./data";
import { languageName } from "../ui/languageName";
import styles from "./Templates.module.css";
import { useTemplateText } from "./text";

/** Templates that somebody has begun to write. */
export function DraftList({ number }: { number: string }) {
  const t = useTemplateText();
  const query = useQuery(draftsQuery(number));
  return (
    <Loaded query={query}>
      {(drafts) =>
        drafts.length === 0 ? (
          <EmptyState icon="template" title={t.noDrafts} action={<LinkButton to="/templates/new" search={{ number }}>{t.new}</LinkButton>}>
            {t.noDraftsHint}
          </EmptyState>
        ) : (
          <div className={styles.scroll}>
            <ul className={styles.list} aria-label={t.states.draft}>
              {drafts.map((draft) => <Row key={draft.id} number={number} draft={draft} />)}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}

function Row({ number, draft }: { number: string; draft: Draft }) {
  const t = useTemplateText();
  const reader = useLanguage();
  const client = useQueryClient();
  const again = () => client.invalidateQueries({ queryKey: ["templates", "drafts"] });
  const remove = () =>
    deleteDraft(number, draft.id).then(() => {
      toast(t.draftDeleted, { undo: () => void saveDraft(number, undefined, draft.content).then(again, toastError) });
      return again();
    }, toastError);
  return (
    <li className={styles.draft}>
      <Link className={styles.what} to="/templates/new" search={{ number, draft: draft.id }}>
        <b>{draft.name || t.untitled}</b>
        <span>{plainText(draft.content.body.text)}</span>
      </Link>
      <span className={styles.quiet}>{languageName(draft.language, reader)}</span>
      <span className={`${styles.quiet} ${styles.wide}`}>{t.categories[draft.category]}</span>
      <span className={`${styles.quiet} ${styles.wide}`}><Time value={draft.updated_at} /></span>
      <IconButton
        icon="trash"
        label={`${t.throwAway} ${draft.name || t.untitled}`}
        iconSize={18}
        size={36}
        onClick={() => void remove()}
      />
    </li>
  );
}
