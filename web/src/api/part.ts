const pause = 1500;

/** Whether a server answers, and not only a proxy in front of it that says that there is none. */
async function answers(): Promise<boolean> {
  try {
    return (await fetch("/favicon.svg", { cache: "no-store" })).status < 500;
  } catch {
    return false;
  }
}

/** The loader takes a style that once failed for one that is there, and the part would come without it. */
function forgetFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("head link[rel=stylesheet]")) if (!link.sheet) link.remove();
}

/**
 * Loads a part of the page. While the server is away it waits for it, because a part that failed to load leads to an
 * error, or to a reload that finds no server and takes everything that was typed along. A file that is missing
 * although the server is there went with an older version.
 */
export async function part<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let there = false; ; there = true) {
    try {
      return await load();
    } catch (error) {
      forgetFailedStyles();
      if (there) throw error;
    }
    while (!(await answers())) await new Promise((done) => setTimeout(done, pause));
  }
}
