import { ActionIcon, SegmentedControl } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { list } from "../../api/client";
import { useMe } from "../../api/queries";
import { text, useText } from "../../i18n";
import { Icon } from "../../ui/icons";
import { toast, toastError } from "../../ui/toasts";
import { recentKey } from "../keys/recent";
import styles from "../parts/console.module.css";
import { useDev } from "../text";
import type { Document, Operation } from "./document";
import { example, languages, lists, wantedBy, type ExampleLanguage } from "./examples";

const stored = "parley-example";

/** The newest of each kind of thing that the operation's path names, as far as there are any. */
function useOwnIds(operation: Operation, number: string): Record<string, string> {
  const kinds = wantedBy(operation).filter((kind) => lists[kind]);
  return useQueries({
    queries: kinds.map((kind) => ({
      queryKey: ["reference", kind, number],
      queryFn: () => list<{ id?: string; name?: string }>(lists[kind]?.(number) ?? "", { query: { limit: 1 } }),
      staleTime: 60_000,
    })),
    combine: (found) => {
      const ids: Record<string, string> = {};
      found.forEach(({ data }, i) => {
        const kind = kinds[i] ?? "";
        const newest = data?.data[0];
        const text = kind === "name" ? newest?.name : newest?.id;
        if (text) ids[kind] = text;
      });
      return ids;
    },
  });
}

/** A program to copy and run, with the user's own ids, and the key where one was just made. */
export function Example({ document, operation }: { document: Document; operation: Operation }) {
  const t = useDev();
  const common = useText("common");
  const number = useMe().numbers[0];
  const [language, setLanguage] = useState<ExampleLanguage>(() => (localStorage.getItem(stored) as ExampleLanguage | null) ?? "curl");
  const ids = useOwnIds(operation, number?.phone_number_id ?? "");
  const own = { ids, origin: location.origin, key: recentKey() ?? "svc_live_YOUR_KEY", phoneNumberId: number?.phone_number_id ?? "YOUR_PHONE_NUMBER_ID" };
  const code = example(languages.includes(language) ? language : "curl", document, operation, own);
  const choose = (next: string) => {
    localStorage.setItem(stored, next);
    setLanguage(next as ExampleLanguage);
  };
  const copy = () => void navigator.clipboard.writeText(code).then(() => toast(text("common").copied), toastError);
  return (
    <>
      <div className={styles.title}>
        <SegmentedControl aria-label={t.language} value={language} data={[...languages]} onChange={choose} />
        <span className={styles.space} />
        <ActionIcon variant="subtle" size={34} aria-label={common.copy} onClick={copy}>
          <Icon name="copy" size={18} />
        </ActionIcon>
      </div>
      {/* It is scrolled by keys too, so it takes the focus. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles.json} tabIndex={0} role="region" aria-label={t.example}>
        {code}
      </pre>
    </>
  );
}
