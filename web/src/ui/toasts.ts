import { messageOf } from "./messages";
import { Store } from "./store";

export interface Toast {
  id: number;
  text: string;
  kind: "done" | "error";
  undo?: () => void;
}

export const toasts = new Store<Toast[]>([]);
let last = 0;

/** Says what was done, for a few seconds, and returns its id. With undo it stays longer and can be taken back. */
export function toast(text: string, options: { undo?: () => void; kind?: Toast["kind"] } = {}): number {
  toasts.set([...toasts.get().slice(-2), { id: ++last, text, kind: options.kind ?? "done", undo: options.undo }]);
  return last;
}

export function toastError(error: unknown): void {
  toast(messageOf(error), { kind: "error" });
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
