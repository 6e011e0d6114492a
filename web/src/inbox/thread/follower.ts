const near = 60;

/** A row and how far its top is from the top of the log. */
interface Anchor {
  key: string;
  top: number;
}

function firstVisible(log: HTMLElement): Anchor | null {
  const top = log.getBoundingClientRect().top;
  for (const row of log.querySelectorAll<HTMLElement>("[data-key]")) {
    const box = row.getBoundingClientRect();
    if (box.bottom > top) return { key: row.dataset.key ?? "", top: box.top - top };
  }
  return null;
}

/**
 * Keeps the place in a log: at the bottom it follows what comes, elsewhere the row being read stays where it is,
 * whatever is added above or below it.
 */
export class Follower {
  private log: HTMLElement | null = null;
  private following = true;
  private anchor: Anchor | null = null;
  private readonly sizes = new ResizeObserver(() => this.settle());

  /** Watches a log; the function that it returns ends that. */
  attach(log: HTMLElement, changed: (atBottom: boolean) => void): () => void {
    this.log = log;
    const look = () => {
      this.following = log.scrollHeight - log.scrollTop - log.clientHeight < near;
      this.anchor = this.following ? null : firstVisible(log);
      changed(this.following);
    };
    log.addEventListener("scroll", look, { passive: true });
    return () => {
      this.log = null;
      this.sizes.disconnect();
      log.removeEventListener("scroll", look);
    };
  }

  /** Call it when rows have changed. Rows also grow when pictures come, and the log shrinks when the composer grows. */
  settle(): void {
    const { log, anchor } = this;
    if (!log) return;
    if (this.following) log.scrollTop = log.scrollHeight;
    const kept = anchor && log.querySelector(`[data-key="${CSS.escape(anchor.key)}"]`);
    if (anchor && kept)
      log.scrollTop += kept.getBoundingClientRect().top - log.getBoundingClientRect().top - anchor.top;
  }

  observe(): void {
    if (!this.log) return;
    this.sizes.observe(this.log);
    for (const child of this.log.children) this.sizes.observe(child);
  }

  toBottom(): void {
    this.following = true;
    this.anchor = null;
    this.log?.scrollTo({ top: this.log.scrollHeight, behavior: "smooth" });
  }
}
