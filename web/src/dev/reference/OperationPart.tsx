import styles from "../parts/console.module.css";
import { useDev } from "../text";
import { partsOf, resolve, type Document, type Operation, type Schema } from "./document";
import { Example } from "./Example";

/** How deep objects in objects are shown. */
const deepest = 5;

function typeOf(document: Document, given: Schema): string {
  const schema = resolve(document, given);
  if (schema.enum) return schema.enum.map(String).join(" | ");
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(document, choice)))].join(" | ");
  const type = Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type;
  return schema.items ? `${type} of ${typeOf(document, schema.items)}` : (type ?? "");
}

/** Words of the document, in which `code` is marked as in Markdown. */
function Described({ text = "" }: { text?: string }) {
  return text.split("`").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

interface FieldProps {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string;
  document: Document;
  depth?: number;
}

function Field({ name, schema: given, required, description = given.description, document, depth = 0 }: FieldProps) {
  const t = useDev();
  const schema = resolve(document, given);
  const inner = partsOf(document, schema);
  return (
    <div style={{ display: "contents" }}>
      <dt className="mono">{name}</dt>
      <dd>
        {typeOf(document, schema)} {required && <strong>{t.required}</strong>}
        <br />
        <Described text={description ?? schema.description} />
        {inner.properties && depth < deepest && (
          <details>
            <summary>{t.fieldsOf(name)}</summary>
            <FieldList document={document} schema={inner} depth={depth + 1} />
          </details>
        )}
      </dd>
    </div>
  );
}

/** The fields of an object, those that are needed first. */
function FieldList({ document, schema, depth = 0 }: { document: Document; schema: Schema; depth?: number }) {
  const isRequired = (name: string) => Boolean(schema.required?.includes(name));
  const fields = Object.entries(schema.properties ?? {}).sort(([a], [b]) => Number(isRequired(b)) - Number(isRequired(a)));
  return (
    <dl className={styles.facts}>
      {fields.map(([name, field]) => (
        <Field key={name} name={name} schema={field} required={isRequired(name)} document={document} depth={depth} />
      ))}
    </dl>
  );
}

function Fields({ document, operation }: { document: Document; operation: Operation }) {
  const t = useDev();
  const body = resolve(document, operation.body);
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
      {body.properties && (
        <>
          <h3>{t.bodyFields}</h3>
          <FieldList document={document} schema={body} />
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
