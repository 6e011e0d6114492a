import styles from "../parts/console.module.css";
import { useDev } from "../text";
import { resolve, type Document, type Operation, type Schema } from "./document";
import { Example } from "./Example";

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map(String).join(" | ");
  const type = Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type;
  return schema.items ? `${type} of ${typeOf(schema.items)}` : (type ?? "");
}

/** Words of the document, in which `code` is marked as in Markdown. */
function Described({ text = "" }: { text?: string }) {
  return text.split("`").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

function Field(props: { name: string; schema: Schema; required: boolean; description?: string; document: Document }) {
  const t = useDev();
  const schema = resolve(props.document, props.schema);
  return (
    <div style={{ display: "contents" }}>
      <dt className="mono">{props.name}</dt>
      <dd>
        {typeOf(schema)} {props.required && <strong>{t.required}</strong>}
        <br />
        <Described text={props.description ?? schema.description} />
      </dd>
    </div>
  );
}

function Fields({ document, operation }: { document: Document; operation: Operation }) {
  const t = useDev();
  const body = resolve(document, operation.body);
  const fields = Object.entries(body.properties ?? {});
  const parameters = operation.parameters.filter((parameter) => parameter.in !== "header");
  return (
    <>
      {parameters.length > 0 && (
        <>
          <h3>{t.parameters}</h3>
          <dl className={styles.facts}>
            {parameters.map(({ name, schema, required, description }) => (
              <Field key={name} name={name} schema={schema ?? {}} required={Boolean(required)} description={description} document={document} />
            ))}
          </dl>
        </>
      )}
      {fields.length > 0 && (
        <>
          <h3>{t.bodyFields}</h3>
          <dl className={styles.facts}>
            {fields.map(([name, schema]) => (
              <Field key={name} name={name} schema={schema} required={Boolean(body.required?.includes(name))} document={document} />
            ))}
          </dl>
        </>
      )}
    </>
  );
}

/** What an operation takes and answers, with an example. */
export function OperationPart({ document, operation }: { document: Document; operation: Operation }) {
  const t = useDev();
  return (
    <article className={styles.plain} aria-label={operation.summary}>
      <h2>{operation.summary}</h2>
      <p className="mono">
        {operation.method} /v1{operation.path}
      </p>
      <p>
        <Described text={operation.description} />
      </p>
      <Example document={document} operation={operation} />
      <Fields document={document} operation={operation} />
      <h3>{t.answers}</h3>
      <p className="mono">{operation.statuses.join(", ")}</p>
    </article>
  );
}
