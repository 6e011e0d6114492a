import { useEffect, useState } from "react";

/** Takes files that are dropped anywhere on the page. True while some hover over it. */
export function useDrop(add: (files: File[]) => void, off: boolean): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (off) return;
    const end = new AbortController();
    const { signal } = end;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const hover = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      add([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", hover, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("drop", drop, { signal });
    return () => end.abort();
  }, [add, off]);
  return over && !off;
}
