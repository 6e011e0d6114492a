import type { Message } from "../../api/types";
import { Store, useStore } from "../../ui/store";
import { openPart } from "../thread/openers";

/** Which message the next one answers, per conversation. */
const answering = new Store<Record<string, Message | undefined>>({});

export const useAnswering = (conversation: string) => useStore(answering)[conversation];

export function answer(conversation: string, message: Message | undefined): void {
  answering.set({ ...answering.get(), [conversation]: message });
  if (message) openPart("reply");
}
