import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdmin } from "../api/queries";
import { LinkButton } from "../ui/LinkButton";
import { Loaded } from "../ui/Loaded";
import { Missing } from "../ui/Missing";
import { PageTitle } from "../ui/PageTitle";
import { versionsQuery, type FullTemplate } from "./data";
import { DeleteTemplate } from "./DeleteTemplate";
import { AccountSelect, OfAccount } from "./parts";
import styles from "./Templates.module.css";
import { SyncButton } from "./TemplatesPage";
import { TestDialog } from "./TestDialog";
import { useTemplateText } from "./text";
import { Version } from "./Version";

/** A template in all its languages, side by side. */
export default function TemplatePage() {
  const search = useSearch({ from: "/signed-in/templates/$name" });
  return <OfAccount wanted={search.number}>{(number) => <Languages number={number} />}</OfAccount>;
}

function Languages({ number }: { number: string }) {
  const t = useTemplateText();
  const { name } = useParams({ from: "/signed-in/templates/$name" });
  const search = useSearch({ from: "/signed-in/templates/$name" });
  const navigate = useNavigate();
  const query = useQuery(versionsQuery(number, name));
  return (
    <div className={styles.detail}>
      {query.data?.length !== 0 && (
        <nav className={styles.back}>
          <Link to="/templates" search={{ number: search.number }}>{t.back}</Link>
        </nav>
      )}
      <Loaded query={query}>
        {(versions) => (
          <>
            <Head number={number} name={name} versions={versions} setNumber={(next) => void navigate({ to: "/templates/$name", params: { name }, search: { number: next } })} />
            {versions.length === 0 ? (
              <Missing icon="template" title={t.missing} back={<LinkButton variant="default" to="/templates" search={{ number: search.number }}>{t.back}</LinkButton>}>
                {t.missingHint}
              </Missing>
            ) : (
              <div className={styles.versions}>
                {versions.map((version) => <Version key={version.id} number={number} template={version} alone={versions.length === 1} />)}
              </div>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Head(props: { number: string; name: string; versions: FullTemplate[]; setNumber: (number: string) => void }) {
  const t = useTemplateText();
  const { number, name, versions } = props;
  const admin = useIsAdmin();
  const [dialog, setDialog] = useState<"test" | "delete">();
  const sendable = versions.filter((v) => v.status === "approved");
  const close = () => setDialog(undefined);
  return (
    <header className={styles.head}>
      <PageTitle>{name}</PageTitle>
      <div className={styles.actions}>
        <AccountSelect number={number} set={props.setNumber} />
        {sendable.length > 0 && <Button variant="default" onClick={() => setDialog("test")}>{t.test}</Button>}
        {admin && <SyncButton number={number} />}
        {admin && versions.length > 1 && <Button variant="default" c="var(--red)" onClick={() => setDialog("delete")}>{t.deleteAll}</Button>}
        {admin && versions[0] && (
          <LinkButton to="/templates/new" search={{ number, copy: name, language: versions[0].language }}>{t.duplicate}</LinkButton>
        )}
      </div>
      {dialog === "test" && <TestDialog number={number} templates={sendable} close={close} />}
      {dialog === "delete" && <DeleteTemplate number={number} name={name} last close={close} />}
    </header>
  );
}
