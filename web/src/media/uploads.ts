import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { idempotencyKey } from "../api/client";
import { uploadFile } from "../inbox/data/upload";
import { messageOf } from "../ui/messages";

export interface Upload {
  key: string;
  name: string;
  /** From 0 to 1. */
  progress: number;
  error?: string;
}

/** Files on their way into the library, a few at a time. */
export function useUploads(number: string, done?: (ids: string[]) => void) {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const change = useCallback((key: string, next: Partial<Upload>) => setUploads((all) => all.map((u) => (u.key === key ? { ...u, ...next } : u))), []);
  const dismiss = useCallback((key: string) => setUploads((all) => all.filter((u) => u.key !== key)), []);
  const upload = useCallback(
    async (files: File[]) => {
      const waiting = files.map((file) => ({ file, key: idempotencyKey() }));
      setUploads((all) => [...all, ...waiting.map(({ file, key }) => ({ key, name: file.name, progress: 0 }))]);
      const ids: string[] = [];
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const { file, key } = next;
          try {
            ids.push(await uploadFile(number, file, key, "media", (progress) => change(key, { progress })));
            dismiss(key);
          } catch (error) {
            change(key, { error: messageOf(error) });
          }
        }
      };
      await Promise.all([work(), work(), work()]);
      await client.invalidateQueries({ queryKey: ["media"] });
      if (ids.length > 0) done?.(ids);
    },
    [number, change, dismiss, client, done],
  );
  return { uploads, upload, dismiss };
}
