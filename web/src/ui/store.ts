import { useSyncExternalStore } from "react";

/** A value that components watch, for what lives outside of them. */
export class Store<T> {
  private readonly watchers = new Set<() => void>();

  constructor(private value: T) {}

  get = (): T => this.value;

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    this.watchers.forEach((changed) => changed());
  }

  watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed);
    return () => this.watchers.delete(changed);
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
