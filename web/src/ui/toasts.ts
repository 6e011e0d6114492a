import { ApiError } from "../api/client";
import { text } from "../i18n";
import { messageOf } from "./messages";
import { Store } from "./store";

export interface Toast {
  id: number;
  text: string;
  kind: "done" | "error";
  undo?: () => void;
  /** Does once more what has failed. */
  retry?: () => void;
  /** Leads to what it is about. */
  open?: () => void;
}

export const toasts = new Store<Toast[]>([]);
let last = 0;

/** Says what was done, for a few seconds, and returns its id. With undo it stays longer and can be taken back. */
export function toast(words: string, { kind = "done", undo, retry, open }: Partial<Omit<Toast, "id" | "text">> = {}): number {
  toasts.set([...toasts.get().slice(-2), { id: ++last, text: words, kind, undo, retry, open }]);
  return last;
}

export function toastError(error: unknown): void {
  toast(messageOf(error), { kind: "error" });
}

/** Says what went wrong, and offers to do it once more where that can help. What the server refuses, it would refuse again. */
export function toastFailure(error: unknown, again: () => void): void {
  const passes = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
  const offline = error instanceof ApiError && error.code === "offline";
  toast(offline ? text("common").notDone : messageOf(error), { kind: "error", retry: passes ? again : undefined });
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Takes back what was done last, as long as that is offered. */
export function undoLast(): void {
  const last = toasts.get().findLast((toast) => toast.undo);
  if (!last) return;
  dismiss(last.id);
  last.undo?.();
}
