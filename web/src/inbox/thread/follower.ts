const near = 60;

/** A row and how far its top is from the top of the log. */
interface Anchor {
  key: string;
  top: number;
}

/** The first row of which something is to be seen. Rows stand below each other, so half of them need no look each time. */
function firstVisible(log: HTMLElement): Anchor | null {
  const top = log.getBoundingClientRect().top;
  const rows = log.querySelectorAll<HTMLElement>("[data-key]");
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as HTMLElement).getBoundingClientRect().bottom > top) high = middle;
    else low = middle + 1;
  }
  const row = rows[low];
  return row ? { key: row.dataset.key ?? "", top: row.getBoundingClientRect().top - top } : null;
}

/**
 * Keeps the place in a log: at the newest end it follows what comes, elsewhere the row being read stays where it
 * is, whatever is added or taken away above or below it.
 */
export class Follower {
  /** Whether the log's end is the thread's end. Otherwise there is nothing to follow. */
  private live = true;
  private log: HTMLElement | null = null;
  private following = true;
  private anchor: Anchor | null = null;
  private readonly sizes = new ResizeObserver(() => this.settle());

  /** Watches a log; the function that it returns ends that. */
  attach(log: HTMLElement, changed: (atBottom: boolean) => void): () => void {
    this.log = log;
    const look = () => {
      this.look(log);
      changed(this.following);
    };
    log.addEventListener("scroll", look, { passive: true });
    return () => {
      this.log = null;
      this.sizes.disconnect();
      log.removeEventListener("scroll", look);
    };
  }

  private look(log: HTMLElement): void {
    this.following = this.live && log.scrollHeight - log.scrollTop - log.clientHeight < near;
    this.anchor = this.following ? null : firstVisible(log);
  }

  /** Call it when rows have changed. Rows also grow when pictures come, and the log shrinks when the composer grows. */
  settle(live = this.live): void {
    this.live = live;
    const { log, anchor } = this;
    if (!log) return;
    if (this.following && this.live) log.scrollTop = log.scrollHeight;
    const kept = anchor && rowOf(log, anchor.key);
    if (anchor && kept)
      log.scrollTop += kept.getBoundingClientRect().top - log.getBoundingClientRect().top - anchor.top;
  }

  observe(): void {
    if (!this.log) return;
    this.sizes.observe(this.log);
    for (const rows of this.log.children) this.sizes.observe(rows);
  }

  /** Goes to the end at once. Gliding there would end where a row that changes meanwhile keeps its place. */
  follow(): void {
    this.following = true;
    this.anchor = null;
    this.settle();
  }

  /** Brings a row into view, if it is there. */
  reveal(key: string): void {
    const row = this.log && rowOf(this.log, key);
    if (!this.log || !row) return;
    reveal(row);
    this.look(this.log);
  }
}

export function rowOf(log: HTMLElement, key: string): HTMLElement | null {
  return log.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

/** Brings a row into view and lets it glow. Whoever was in the log, or nowhere, goes on from there. */
export function reveal(row: HTMLElement): void {
  row.scrollIntoView({ block: "center" });
  const from = document.activeElement;
  if (!from || from === document.body || row.closest("[role=log]")?.contains(from)) {
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.addEventListener("blur", () => row.removeAttribute("tabindex"), { once: true });
  }
  row.animate([{ background: "var(--tint)" }, { background: "transparent" }], { duration: 1600, easing: "ease-out" });
}
