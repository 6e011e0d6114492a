import { useEffect, useMemo } from "react";
import { address } from "../../../api/client";
import type { Message } from "../../../api/types";
import { useOutbox } from "../../data/sending";

/** Where a message's file is: on the server, or still in this page while it is on its way. */
export function useSource(message: Message, number: string): { url: string; progress: number | null } {
  const entry = useOutbox().find((e) => e.key === message.id);
  const file = entry?.file;
  const local = useMemo(() => file && URL.createObjectURL(file), [file]);
  useEffect(() => () => void (local && URL.revokeObjectURL(local)), [local]);
  return {
    url: local ?? entry?.path ?? address(`/${number}/messages/${message.id}/media`),
    progress: entry?.state === "waiting" && file ? (entry.progress ?? 0) : null,
  };
}

const units = ["B", "kB", "MB"];

/** 340 kB */
export function sizeText(bytes: number | null | undefined): string | null {
  if (bytes === null || bytes === undefined) return null;
  const step = Math.min(units.length - 1, bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2);
  const value = bytes / 1000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}
