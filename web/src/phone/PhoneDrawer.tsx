import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useText } from "../i18n";
import { leaveRoom } from "../inbox/context/shown";
import { conversationQuery } from "../inbox/data/conversations";
import { IconButton } from "../ui/IconButton";
import { openDrawer } from "./drawer";
import { PhonePanel } from "./PhonePanel";
import styles from "./Phone.module.css";

/** The width of the drawer, as the style sheet has it. */
const width = 400;

/** The phone beside the inbox: that of the person whose conversation is open, if it is a simulated one. */
export default function PhoneDrawer({ conversation }: { conversation: string | undefined }) {
  const t = useText("phone");
  const common = useText("common");
  const { data } = useQuery({ ...conversationQuery(conversation ?? ""), enabled: conversation !== undefined });
  const about = data && { phone: data.contact.phone_number, number: data.number.phone_number_id };
  useEffect(() => {
    leaveRoom(width);
    return () => leaveRoom(0);
  }, []);
  return (
    <aside className={styles.drawer} aria-label={t.drawer}>
      <header className={styles.drawerHead}>
        <h2 className={styles.title}>{t.title}</h2>
        <IconButton icon="close" label={common.close} size={32} onClick={() => openDrawer(false)} />
      </header>
      <PhonePanel key={data?.id} about={about} />
    </aside>
  );
}
