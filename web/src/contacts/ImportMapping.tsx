import { Button, Checkbox, MultiSelect, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { useNumber } from "../api/numbers";
import { labelsQuery, useMe } from "../api/queries";
import { useText, type Dictionary } from "../i18n";
import { Panel } from "../settings/Section";
import { FormError } from "../ui/FormError";
import { Loaded } from "../ui/Loaded";
import { useSubmit } from "../ui/useSubmit";
import styles from "./ContactPage.module.css";
import type { Job } from "./data";
import { NumberSelect } from "../ui/NumberSelect";

export interface Uploaded {
  job: Job;
  header: boolean;
  columns: { column: number; name: string; field: string }[];
  rows: string[][];
}

interface Mapping {
  header: boolean;
  columns: { column: number; field: string; key?: string }[];
  country?: string;
  skip_existing: boolean;
  create_labels: boolean;
  label_ids: string[];
}

interface PreviewRow {
  row: number;
  phone_number: string;
  name: string | null;
  labels: string[];
  consent: string;
  problem: string;
}

/** The columns that say something, as the server wants them. A custom field is called as its column. */
export function columnsOf(fields: string[], names: string[]): Mapping["columns"] {
  return fields.flatMap((field, column) => {
    if (field === "") return [];
    return [field === "metadata" ? { column, field, key: names[column] } : { column, field }];
  });
}

/** Says what the columns of a file are, and shows what that makes of its first rows. */
export function ImportMapping({ uploaded, started, again }: { uploaded: Uploaded; started: (job: Job) => void; again: () => void }) {
  const t = useText("contacts");
  const { numbers } = useMe();
  const [number, setNumber] = useState(numbers[0]?.phone_number_id ?? "");
  const [fields, setFields] = useState(uploaded.columns.map((c) => c.field));
  const [options, setOptions] = useState({ header: uploaded.header, country: "", skip_existing: false, create_labels: true, label_ids: [] as string[] });
  const names = uploaded.columns.map((c) => c.name || t.column(c.column + 1));
  const empty = uploaded.rows.length <= (options.header ? 1 : 0);
  const ready = fields.includes("phone_number") && number !== "" && !empty;
  const country = options.country.trim().toUpperCase();
  const mapping: Mapping = { ...options, country: /^[A-Z]{2}$/.test(country) ? country : undefined, columns: columnsOf(fields, names) };
  const submit = useSubmit<Job>(["country"], () => send("POST", `/contacts/imports/${uploaded.job.id}/start`, { number, mapping }), started);
  return (
    <Panel title={t.mapTitle} hint={uploaded.job.filename}>
      <form {...submit.form} style={{ maxWidth: "none" }}>
        <FormError error={submit.error} />
        <div className={styles.columns}>
          {names.map((name, i) => (
            <Column key={i} name={name} sample={uploaded.rows[options.header ? 1 : 0]?.[i] ?? ""} field={fields[i] ?? ""}
              set={(field) => setFields(fields.map((old, j) => (j === i ? field : field !== "metadata" && old === field ? "" : old)))} />
          ))}
        </div>
        <Options number={number} setNumber={setNumber} options={options} set={(change) => setOptions({ ...options, ...change })} error={submit.errorOf("country")} />
        {ready ? <Preview job={uploaded.job.id} number={number} mapping={mapping} /> : <p className={styles.bad}>{empty ? t.noRows : t.noPhone}</p>}
        <div className={styles.result}>
          <Button type="submit" disabled={!ready} loading={submit.busy}>{t.start}</Button>
          <Button variant="default" disabled={submit.busy} onClick={again}>{t.again}</Button>
        </div>
      </form>
    </Panel>
  );
}

function Column(props: { name: string; sample: string; field: string; set: (field: string) => void }) {
  const t = useText("contacts");
  const data = [{ value: "", label: t.skip }, ...Object.entries(t.fields).map(([value, label]) => ({ value, label }))];
  return (
    <div>
      <span>
        <strong>{props.name}</strong>
        <br />
        <span className={styles.quiet}>{props.sample.slice(0, 60)}</span>
      </span>
      <Select aria-label={t.means(props.name)} data={data} value={props.field} allowDeselect={false} onChange={(value) => props.set(value ?? "")} />
    </div>
  );
}

type Chosen = { header: boolean; country: string; skip_existing: boolean; create_labels: boolean; label_ids: string[] };

function Options(props: { number: string; setNumber: (n: string) => void; options: Chosen; set: (change: Partial<Chosen>) => void; error?: string }) {
  const t = useText("contacts");
  const { options, set } = props;
  const team = useNumber(props.number).number?.team_id;
  const labels = (useQuery(labelsQuery).data ?? []).filter((label) => label.team_id === team);
  return (
    <>
      <Checkbox label={t.header} checked={options.header} onChange={(event) => set({ header: event.target.checked })} />
      <NumberSelect label={t.into} value={props.number} onChange={(number) => number && props.setNumber(number)} />
      <TextInput label={t.country} description={t.countryHint} maxLength={2} value={options.country} error={props.error}
        onChange={(event) => set({ country: event.target.value })} />
      <MultiSelect label={t.labelAll} value={options.label_ids} onChange={(label_ids) => set({ label_ids })}
        data={labels.map((label) => ({ value: label.id, label: label.name }))} />
      <Checkbox label={t.createLabels} checked={options.create_labels} onChange={(event) => set({ create_labels: event.target.checked })} />
      <Checkbox label={t.skipExisting} checked={options.skip_existing} onChange={(event) => set({ skip_existing: event.target.checked })} />
    </>
  );
}

/** What the mapping makes of the first rows. */
function Preview({ job, number, mapping }: { job: string; number: string; mapping: Mapping }) {
  const t = useText("contacts");
  const query = useQuery({
    queryKey: ["contact-import", job, number, mapping],
    queryFn: () => send<{ rows: PreviewRow[] }>("POST", `/contacts/imports/${job}/preview`, { number, mapping }),
    placeholderData: (old) => old,
  });
  return (
    <Loaded query={query}>
      {({ rows }) => (
        // A long table scrolls by itself, and can be reached by keys for that.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={styles.preview} tabIndex={0} role="region" aria-label={t.preview}>
          <table>
            <thead>
              <tr>{[t.row, t.phone, t.name, t.labels, t.consent, t.problem].map((name) => <th key={name} scope="col">{name}</th>)}</tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.row}>
                  <td>{row.row}</td>
                  <td className="mono">{row.phone_number}</td>
                  <td>{row.name}</td>
                  <td>{row.labels.join(", ")}</td>
                  <td>{row.consent && t.consents[row.consent as keyof typeof t.consents]}</td>
                  <td className={row.problem ? styles.bad : styles.quiet}>{row.problem ? problemOf(row.problem, t) : t.fine}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}

type Words = Dictionary["contacts"];

/** What the server says of a row to programmers, and how people are told of it. */
const problems: [RegExp, (t: Words["problems"], found: string) => string][] = [
  [/: The number is missing/u, (t) => t.missing],
  [/: Must be a number in international form/u, (t) => t.number],
  [/: This is not an e-mail address/u, (t) => t.email],
  [/: A spreadsheet has shortened this number to (.+?)\. Format/u, (t, number) => t.shortened(number)],
  [/: A label's name has/u, (t) => t.label],
  [/^There is no label "(.+)"\. Make/u, (t, name) => t.noLabel(name)],
];

/** What is wrong with a row. Of what is not known here, the page's name for the field takes the place of the API's. */
export function problemOf(problem: string, t: Words): string {
  for (const [pattern, say] of problems) {
    const found = pattern.exec(problem);
    if (found) return say(t.problems, found[1] ?? "");
  }
  const names: Record<string, string> = { phone_number: t.phone, name: t.name, email: t.email, labels: t.labels, marketing_consent: t.consent, bsuid: t.bsuid };
  return problem.replace(/^([a-z_]+): /u, (whole, field: string) => (names[field] ? `${names[field]}: ` : whole));
}
