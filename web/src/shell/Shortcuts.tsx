import { useText } from "../i18n";
import { Kbd } from "../ui/Kbd";
import { Modal } from "../ui/Modal";
import { useStore } from "../ui/store";
import { commands } from "./commands";
import styles from "./Shortcuts.module.css";

/** All keys that do something on this page. */
export function Shortcuts({ close }: { close: () => void }) {
  const t = useText("shell");
  const common = useText("common");
  const groups = Map.groupBy(
    useStore(commands).filter((command) => command.keys),
    (command) => command.group,
  );
  return (
    <Modal onClose={close} title={t.shortcuts} closeButtonProps={{ "aria-label": common.close }}>
      {[...groups].map(([group, list]) => (
        <section key={group} className={styles.group}>
          <h3>{group}</h3>
          <dl>
            {list.map((command) => (
              <div key={command.id}>
                <dt>{command.title}</dt>
                <dd>
                  <Kbd keys={command.keys ?? ""} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}
