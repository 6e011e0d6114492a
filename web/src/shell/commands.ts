import { useEffect } from "react";
import { Store } from "../ui/store";

/** Something that the user can do now: in the palette by its title, at once by its keys. */
export interface Command {
  id: string;
  title: string;
  /** The heading under which the palette and the list of shortcuts show it. */
  group: string;
  /** One key as KeyboardEvent.key has it ("j", "/", "?"), or with "mod+" for Ctrl or ⌘. */
  keys?: string;
  run: () => void;
}

export const commands = new Store<Command[]>([]);

/** Offers commands as long as the component is there. The list must be memoized. */
export function useCommands(list: Command[]): void {
  useEffect(() => {
    commands.set([...commands.get(), ...list]);
    return () => commands.set(commands.get().filter((command) => !list.includes(command)));
  }, [list]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** The keys of an event, written as a command writes them. */
export function keysOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
}

/**
 * Whether keys are for what lies over the page: in a menu letters find an item. A menu has the focus only a moment after it
 * was opened, and is there for a moment after it was closed, so its button tells.
 */
function isChoosing(target: EventTarget | null): boolean {
  if (document.querySelector("[aria-modal=true], [aria-haspopup=menu][aria-expanded=true]")) return true;
  return target instanceof Element && target.closest("[role=listbox], [role=dialog]") !== null;
}

/** Runs the command that was offered last for these keys. Plain keys mean nothing while one writes, or in a menu or dialog. */
export function runByKeys(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const keys = keysOf(event);
  const plain = !keys.startsWith("mod+");
  if (plain && (isTyping(event.target) || isChoosing(event.target))) return;
  const command = commands.get().findLast((offered) => offered.keys === keys);
  if (!command) return;
  event.preventDefault();
  command.run();
}

export function useCommandKeys(): void {
  useEffect(() => {
    document.addEventListener("keydown", runByKeys);
    return () => document.removeEventListener("keydown", runByKeys);
  }, []);
}
