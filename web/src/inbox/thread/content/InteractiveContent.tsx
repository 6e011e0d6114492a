import { FormattedText } from "../../text/FormattedText";
import { PreviewButtons } from "./PreviewButtons";
import type { Button, Interactive } from "./shapes";
import styles from "./TemplateContent.module.css";

/** Buttons and lists that we sent, and what people chose of them. */
export function InteractiveContent({ interactive: x }: { interactive: Interactive }) {
  const chosen = x.button_reply ?? x.list_reply;
  if (chosen) return <Chosen title={chosen.title} description={x.list_reply?.description} />;
  if (x.nfm_reply) return <FormattedText text={x.nfm_reply.body ?? ""} />;
  return (
    <>
      {x.header?.text && <b>{x.header.text}</b>}
      <div>
        <FormattedText text={x.body?.text ?? ""} />
      </div>
      {x.footer?.text && <small className={styles.section}>{x.footer.text}</small>}
      <div className={styles.inset}>
        <PreviewButtons buttons={buttonsOf(x)} />
      </div>
    </>
  );
}

function Chosen({ title, description }: { title?: string; description?: string }) {
  return (
    <>
      <FormattedText text={title ?? ""} />
      {description && <div className={styles.section}>{description}</div>}
    </>
  );
}

function buttonsOf({ action }: Interactive): Button[] {
  if (action?.parameters) return [{ type: "URL", text: action.parameters.display_text, url: action.parameters.url }];
  if (action?.sections) {
    const rows = action.sections.flatMap((s) => s.rows ?? []).map((row) => row.title);
    return [{ type: "LIST", text: action.button, url: rows.join(", ") }];
  }
  return (action?.buttons ?? []).map((b) => ({ type: "QUICK_REPLY", text: b.reply?.title }));
}
