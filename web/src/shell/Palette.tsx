import { Modal } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useState, type KeyboardEvent } from "react";
import { useIsAdmin } from "../api/queries";
import { useText } from "../i18n";
import { inboxPath } from "../inbox/place";
import { Icon } from "../ui/icons";
import { Kbd } from "../ui/Kbd";
import { useStore } from "../ui/store";
import { commands, type Command } from "./commands";
import styles from "./Palette.module.css";

/** Whether a text is an id of something, the provider's id of a message, or a phone number. */
export function isID(typed: string): boolean {
  return /^([a-z]{3,4}_[0-9A-Z]{26}|wamid\..+|\+?[0-9][0-9 ()-]{5,18})$/.test(typed.trim());
}

/** Commands whose title has every word that was typed. */
export function matching(list: Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return list.filter((command) => words.every((word) => command.title.toLowerCase().includes(word)));
}

/** Who may open the console finds the story of any id here too. */
function useStoryCommand(typed: string): Command[] {
  const t = useText("shell");
  const router = useRouter();
  if (!useIsAdmin() || !isID(typed)) return [];
  const id = typed.trim();
  return [{ id: "story", group: t.developers, title: t.showStory(id), run: () => void router.navigate({ to: "/dev/find", search: { id } }) }];
}

/** Whatever else was typed is looked for among messages and people. */
function useSearchCommand(typed: string): Command[] {
  const t = useText("shell");
  const router = useRouter();
  const q = typed.trim();
  if (!q) return [];
  const run = () => void router.navigate({ to: inboxPath, params: { view: "all", conversation: undefined }, search: { q } });
  return [{ id: "search", group: t.inbox, title: t.searchFor(q), run }];
}

function Chooser({ close }: { close: () => void }) {
  const t = useText("shell");
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const story = useStoryCommand(typed);
  const search = useSearchCommand(typed);
  const found = [...story, ...matching(useStore(commands).filter((command) => command.id !== "palette"), typed), ...search];
  const run = (command: Command | undefined) => {
    close();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") run(found[at]);
    else if (event.key === "ArrowDown") setAt((at + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setAt((at + found.length - 1) % Math.max(1, found.length));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={styles.field}>
        <Icon name="search" size={18} />
        <input
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[at] && `palette-${found[at].id}`}
          aria-label={t.commands}
          placeholder={t.commandsHint}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id="palette-list" role="listbox" aria-label={t.commands} className={styles.list}>
        {found.map((command, index) => (
          <Option key={command.id} command={command} selected={index === at} point={() => setAt(index)} run={() => run(command)} />
        ))}
      </ul>
    </>
  );
}

function Option(props: { command: Command; selected: boolean; point: () => void; run: () => void }) {
  const { id, title, group, keys } = props.command;
  return (
    // The keys are read by the field, which keeps the focus.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <li id={`palette-${id}`} role="option" aria-selected={props.selected} onPointerMove={props.point} onClick={props.run}>
      <span>{title}</span>
      <small>{group}</small>
      {keys && <Kbd keys={keys} />}
    </li>
  );
}

/** Everything that can be done here, by name. */
export function Palette({ close }: { close: () => void }) {
  const t = useText("shell");
  return (
    <Modal.Root opened onClose={close} yOffset="12vh">
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={t.commands} radius={14}>
        <Chooser close={close} />
      </Modal.Content>
    </Modal.Root>
  );
}
