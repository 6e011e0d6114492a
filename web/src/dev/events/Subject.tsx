import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { list } from "../../api/client";
import { phoneOf } from "../../ui/phone";
import styles from "../parts/console.module.css";

export interface Subject {
  id: string;
  who: string;
  what: string;
}

/** Whom and what the events or deliveries of a list are about. Each page is asked for once: it does not change. */
export function useSubjects(pages: { id: string }[][]): Map<string, Subject> {
  return useQueries({
    queries: pages.filter((page) => page.length > 0).map((page) => {
      const ids = page.map(({ id }) => id).join(",");
      return {
        queryKey: ["event subjects", ids],
        queryFn: () => list<Subject>("/event_subjects", { query: { ids } }),
        staleTime: Infinity,
        placeholderData: keepPreviousData, // a list that moves on keeps what it knows
      };
    }),
    combine: (answers) => new Map(answers.flatMap((answer) => answer.data?.data ?? []).map((subject) => [subject.id, subject])),
  });
}

/** Whom a row is about, and in grey what it says of them. */
export function SubjectCell({ subject }: { subject: Subject | undefined }) {
  return (
    <td className={`${styles.wide} ${styles.hide}`}>
      {subject && (
        <>
          {phoneOf(subject.who)} <small>{subject.what}</small>
        </>
      )}
    </td>
  );
}
