import { FormattedText } from "../../text/FormattedText";
import { PreviewButtons } from "./PreviewButtons";
import { PreviewHeader } from "./PreviewHeader";
import type { Preview } from "./shapes";
import styles from "./TemplateContent.module.css";

/** A template as its recipient sees it. */
export function TemplateContent({ preview: p }: { preview: Preview }) {
  return (
    <div className={styles.template}>
      {p.header && <PreviewHeader header={p.header} />}
      <div className={styles.body}>
        <FormattedText text={p.body ?? ""} />
      </div>
      {p.footer && <div className={styles.footer}>{p.footer}</div>}
      <PreviewButtons buttons={p.buttons ?? []} />
      {p.cards && p.cards.length > 0 && (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
        <div className={styles.cards} tabIndex={0}>
          {p.cards.map((card, i) => (
            <div key={i} className={styles.card}>
              {card.header && <PreviewHeader header={card.header} />}
              <div className={styles.body}>
                <FormattedText text={card.body ?? ""} />
              </div>
              <PreviewButtons buttons={card.buttons ?? []} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
