import type { Outgoing } from "./outbox";

/**
 * What a person has not sent yet, kept in this browser. Each message is an item of its own: each tab writes and removes
 * its own messages alone, and those that it went on with after a reload.
 */
export class Shelf {
  private readonly prefix: string;
  /** What this tab has read or written, by key. */
  private readonly known = new Map<string, string>();

  constructor(private readonly store: Storage, private readonly user: string) {
    this.prefix = `parley-outbox ${user} `;
  }

  /** Everything that is kept, in the order in which it was written. */
  read(): Outgoing[] {
    try {
      this.spread();
      const names = Array.from({ length: this.store.length }, (_, i) => this.store.key(i) ?? "");
      return names
        .filter((name) => name.startsWith(this.prefix))
        .flatMap((name) => this.take(name))
        .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
    } catch {
      return [];
    }
  }

  private take(name: string): Outgoing[] {
    const found = this.store.getItem(name) ?? "";
    this.known.set(name.slice(this.prefix.length), found);
    try {
      return [JSON.parse(found) as Outgoing];
    } catch {
      return [];
    }
  }

  /** Messages were once one item for all of them. */
  private spread(): void {
    const old = `parley-outbox ${this.user}`;
    const kept = this.store.getItem(old);
    if (kept === null) return;
    this.store.removeItem(old);
    for (const entry of JSON.parse(kept) as Outgoing[]) this.store.setItem(this.prefix + entry.key, JSON.stringify(entry));
  }

  /** Keeps what this tab has still to send. Files are not kept: only the page has them. */
  keep(entries: Outgoing[]): void {
    const left = new Map(entries.filter((e) => e.state !== "sent" && !e.file).map((e) => [e.key, JSON.stringify(e)]));
    try {
      for (const [key, entry] of left) if (this.known.get(key) !== entry) this.store.setItem(this.prefix + key, entry);
      for (const key of this.known.keys()) if (!left.has(key)) this.store.removeItem(this.prefix + key);
    } catch {
      // Without storage a reload loses what was not sent.
    }
    this.known.clear();
    left.forEach((entry, key) => this.known.set(key, entry));
  }

  /** Tells of messages that another tab has sent or thrown away. */
  follow(gone: (key: string) => void): () => void {
    const heard = ({ key, newValue }: StorageEvent) => {
      if (newValue === null && key?.startsWith(this.prefix)) gone(key.slice(this.prefix.length));
    };
    addEventListener("storage", heard);
    return () => removeEventListener("storage", heard);
  }
}
