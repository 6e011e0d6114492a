import { Icon, type IconName } from "../../../ui/icons";
import type { Button } from "./shapes";
import styles from "./TemplateContent.module.css";

const icons: Record<string, IconName> = {
  URL: "link",
  PHONE_NUMBER: "phone",
  COPY_CODE: "copy",
  QUICK_REPLY: "reply",
  LIST: "choices",
};

/** Buttons as the recipient has them. Here they only show what is there. */
export function PreviewButtons({ buttons }: { buttons: Button[] }) {
  return buttons.map((b, i) => (
    <div key={i} className={styles.button} title={b.url ?? b.phone_number}>
      {icons[b.type ?? ""] && <Icon name={icons[b.type ?? ""] ?? "link"} size={16} />}
      {b.text}
    </div>
  ));
}
