import { Button, FileButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { address, send } from "../api/client";
import { useLanguage, useText } from "../i18n";
import { AdminsOnly } from "../settings/AdminsOnly";
import { Row, Rows } from "../settings/Rows";
import { Panel, Section } from "../settings/Section";
import { FormError } from "../ui/FormError";
import { Loaded } from "../ui/Loaded";
import { Time } from "../ui/Time";
import { toastError } from "../ui/toasts";
import { JobProgress } from "./BulkBar";
import styles from "./ContactPage.module.css";
import { jobsQuery, underWay, useJob, type Job } from "./data";
import { ImportMapping, type Uploaded } from "./ImportMapping";

const upload = (file: File) =>
  send<Uploaded>("POST", "/contacts/imports", new Blob([file], { type: "text/csv" }), { query: { filename: file.name } });

/** From a file to contacts: choose it, say what its columns are, see how far it is. */
export default function ImportPage() {
  return (
    <AdminsOnly everybody>
      <Import />
    </AdminsOnly>
  );
}

function Import() {
  const t = useText("contacts");
  const [uploaded, setUploaded] = useState<Uploaded>();
  const [jobId, setJobId] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const choose = (file: File | null) => {
    if (!file) return;
    setBusy(true);
    setError(null);
    upload(file).then(setUploaded, setError).finally(() => setBusy(false));
  };
  const again = () => {
    setUploaded(undefined);
    setJobId(undefined);
  };
  return (
    <div className={styles.scroll}>
      <nav className={styles.back}>
        <Link to="/contacts">{t.back}</Link>
      </nav>
      <Section title={t.importTitle} hint={t.importHint}>
        {jobId ? (
          <Panel>
            <ImportResult id={jobId} again={again} />
          </Panel>
        ) : uploaded ? (
          <ImportMapping uploaded={uploaded} started={(job) => setJobId(job.id)} again={again} />
        ) : (
          <Panel>
            <FormError error={error} />
            <FileButton onChange={choose} accept=".csv,.txt,.tsv,text/csv,text/plain" inputProps={{ "aria-label": t.choose }}>
              {(props) => <Button {...props} loading={busy}>{busy ? t.uploading : t.choose}</Button>}
            </FileButton>
          </Panel>
        )}
        <Earlier except={jobId} />
      </Section>
    </div>
  );
}

/** How far an import is, what became of it, and what can be done about it. */
function ImportResult({ id, again }: { id: string; again: () => void }) {
  const t = useText("contacts");
  const job = useJob(id);
  if (!job) return null;
  return (
    <div>
      {underWay(job) ? <JobProgress job={job} /> : <strong role="status">{t.statuses[job.status]}</strong>}
      <p><Outcome job={job} /></p>
      {job.status === "failed" && <p className={styles.bad} role="alert">{t.jobFailed}: {job.reason}</p>}
      <div className={styles.result}>
        <JobActions job={job} />
        {!underWay(job) && <Button size="compact-md" onClick={again}>{t.again}</Button>}
      </div>
    </div>
  );
}

function Outcome({ job }: { job: Job }) {
  const t = useText("contacts");
  const format = new Intl.NumberFormat(useLanguage());
  return t.result(format.format(job.created), format.format(job.changed), format.format(job.failed));
}

function JobActions({ job: given }: { job: Job }) {
  const t = useText("contacts");
  const [asked, setAsked] = useState(false);
  const job = useJob(asked ? given.id : undefined) ?? given;
  const undo = () => void send("POST", `/contacts/imports/${job.id}/undo`).then(() => setAsked(true), toastError);
  const undoable = job.status === "done" || job.status === "failed" || job.status === "running";
  return (
    <div className={styles.actions}>
      {job.failed > 0 && (
        <Button variant="default" size="compact-md" component="a" href={address(`/contacts/imports/${job.id}/errors`)} download>
          {t.errors}
        </Button>
      )}
      {undoable && !asked && <Button variant="default" size="compact-md" onClick={undo}>{t.undo}</Button>}
    </div>
  );
}

function Earlier({ except }: { except: string | undefined }) {
  const t = useText("contacts");
  const query = useQuery(jobsQuery);
  return (
    <Loaded query={query} rows={0}>
      {(jobs) => {
        const imports = jobs.filter((job) => job.kind === "import" && job.id !== except);
        return imports.length > 0 && (
          <>
            <h2>{t.jobs}</h2>
            <Rows label={t.jobs}>
              {imports.map((job) => (
                <Row key={job.id} name={job.filename || "CSV"} detail={<Outcome job={job} />}
                  aside={<>{t.statuses[job.status]} · <Time value={job.created_at} /></>} actions={<JobActions job={job} />} />
              ))}
            </Rows>
          </>
        );
      }}
    </Loaded>
  );
}
