import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Loaded } from "../../ui/Loaded";
import { useFilters } from "../parts/filters";
import { useDev } from "../text";
import { PageTitle } from "../../ui/PageTitle";
import { documentQuery, matching, operationsOf, type Document, type Operation } from "./document";
import { OperationPart } from "./OperationPart";
import styles from "./ReferencePage.module.css";

function Group({ tag, operations, open }: { tag: string; operations: Operation[]; open: string | undefined }) {
  return (
    <>
      <h2>{tag}</h2>
      <ul>
        {operations.map((operation) => (
          <li key={operation.id}>
            <Link to="/dev/reference" search={{ op: operation.id }} aria-current={operation.id === open ? "true" : undefined} activeProps={{}}>
              <b>{operation.method}</b> {operation.summary}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Reference({ document }: { document: Document }) {
  const t = useDev();
  const [filters] = useFilters();
  const [typed, setTyped] = useState("");
  const all = operationsOf(document);
  const found = matching(all, typed);
  const tags = [...new Set(found.map((operation) => operation.tag))];
  const open = all.find((operation) => operation.id === filters.op) ?? (filters.op ? undefined : all.find(({ id }) => id === "sendMessage"));
  return (
    <div className={styles.reference} data-open={filters.op ? "" : undefined}>
      <nav className={styles.list} aria-label={t.operations}>
        <TextInput type="search" label={t.searchOperations} value={typed} onChange={(event) => setTyped(event.target.value)} />
        {found.length === 0 && <p>{t.operationsNone}</p>}
        {tags.map((tag) => (
          <Group key={tag} tag={tag} operations={found.filter((operation) => operation.tag === tag)} open={open?.id} />
        ))}
      </nav>
      <div className={styles.one}>
        <Link to="/dev/reference" className={styles.back}>
          {t.allOperations}
        </Link>
        {open && <OperationPart key={open.id} document={document} operation={open} />}
      </div>
    </div>
  );
}

export default function ReferencePage() {
  const t = useDev();
  const query = useQuery(documentQuery);
  return (
    <>
      <PageTitle className="visually-hidden">{t.reference}</PageTitle>
      <Loaded query={query}>{(document) => <Reference document={document} />}</Loaded>
    </>
  );
}
