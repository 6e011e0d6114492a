import { resolve, type Document, type Operation, type Schema } from "./document";

/** What an example is filled in with. */
export interface Own {
  origin: string;
  key: string;
  phoneNumberId: string;
  /** Ids of things that are there, by their kind: lbl_ has a label's. The name of a template is under name. */
  ids: Record<string, string>;
}

export const languages = ["curl", "Go", "TypeScript", "Python"] as const;
export type ExampleLanguage = (typeof languages)[number];

/** A send needs fields that go together, which no schema says. */
const known: Record<string, unknown> = {
  sendMessage: { messaging_product: "chat", to: "+12025550100", type: "text", text: { body: "Hello" } },
};

/** The kind of id that a pattern names: of ^lbl_… that is lbl_. */
const kindOf = (schema: Schema | undefined) => /^\^\(?([a-z]+_)/.exec(schema?.pattern ?? "")?.[1];

/** What a variable of a path is filled in with: a kind of id, or the name of a template. */
const wanted = ({ name, schema }: { name: string; schema?: Schema }) => kindOf(schema) ?? (name === "name" ? name : undefined);

/** What an operation's path needs, as lists has it. */
export const wantedBy = (operation: Operation): string[] =>
  operation.parameters.filter((p) => operation.path.includes(`{${p.name}}`)).flatMap((p) => wanted(p) ?? []);

/** Where the dashboard finds one of a kind. */
export const lists: Record<string, (number: string) => string> = {
  cus_: () => "/customers",
  lbl_: () => "/labels",
  wbd_: () => "/webhook_deliveries",
  wbs_: () => "/webhook_subscriptions",
  bct_: () => "/broadcasts",
  ctc_: () => "/contacts",
  cnv_: () => "/conversations",
  med_: (number) => `/${number}/media`,
  name: (number) => `/${number}/templates`,
};

/** An id of the right kind, where a pattern names one: one that is there, or lbl_…. */
function sampleText(schema: Schema, own?: Own): string {
  const kind = kindOf(schema);
  if (kind) return own?.ids[kind] ?? `${kind}…`;
  if (schema.format === "date-time") return "2026-01-31T12:00:00Z";
  if (schema.format === "uri") return "https://example.com/webhooks";
  return "…";
}

/** A value that fits a schema: of an object, what must be there. */
export function sample(document: Document, given: Schema | undefined, own?: Own, depth = 0): unknown {
  const schema = resolve(document, given);
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const either = schema.oneOf?.[0] ?? schema.anyOf?.[0];
  if (either) return sample(document, either, own, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "object": {
      const all = Object.entries(schema.properties ?? {});
      const needed = all.filter(([name]) => schema.required?.includes(name));
      const shown = depth === 0 && needed.length === 0 ? all.slice(0, 1) : needed;
      return Object.fromEntries(depth > 5 ? [] : shown.map(([name, part]) => [name, sample(document, part, own, depth + 1)]));
    }
    case "array":
      return [sample(document, schema.items, own, depth + 1)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    default:
      return sampleText(schema, own);
  }
}

export function urlOf(operation: Operation, own: Own): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    if (name === "phone_number_id") return own.phoneNumberId;
    const parameter = operation.parameters.find((p) => p.name === name);
    return (parameter && own.ids[wanted(parameter) ?? ""]) ?? sampleText(parameter?.schema ?? {});
  });
  return `${own.origin}/v1${path}`;
}

export function bodyOf(document: Document, operation: Operation, own?: Own): unknown {
  return operation.body ? (known[operation.id] ?? sample(document, operation.body, own)) : undefined;
}

function curl(operation: Operation, url: string, own: Own, body: unknown): string {
  const lines = [`curl -X ${operation.method} '${url}'`, `-H 'Authorization: Bearer ${own.key}'`];
  if (body !== undefined) {
    const text = JSON.stringify(body).replaceAll("'", `'\\''`);
    lines.push("-H 'Content-Type: application/json'", `-d '${text}'`);
  }
  return lines.join(" \\\n  ");
}

function go(operation: Operation, url: string, own: Own, body: unknown): string {
  const text = body === undefined ? "nil" : `strings.NewReader(${JSON.stringify(JSON.stringify(body))})`;
  return [
    "package main",
    "",
    "import (",
    '\t"fmt"',
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    ...(body === undefined ? [] : ['\t"strings"']),
    ")",
    "",
    "func main() {",
    `\treq, err := http.NewRequest("${operation.method}", "${url}", ${text})`,
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    `\treq.Header.Set("Authorization", "Bearer ${own.key}")`,
    ...(body === undefined ? [] : ['\treq.Header.Set("Content-Type", "application/json")']),
    "\tres, err := http.DefaultClient.Do(req)",
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    "\tdefer res.Body.Close()",
    "\tanswer, _ := io.ReadAll(res.Body)",
    "\tfmt.Println(res.Status, string(answer))",
    "}",
  ].join("\n");
}

function typescript(operation: Operation, url: string, own: Own, body: unknown): string {
  return [
    `const answer = await fetch("${url}", {`,
    `  method: "${operation.method}",`,
    `  headers: { Authorization: "Bearer ${own.key}"${body === undefined ? "" : ', "Content-Type": "application/json"'} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`]),
    "});",
    "console.log(answer.status, await answer.json());",
  ].join("\n");
}

function python(operation: Operation, url: string, own: Own, body: unknown): string {
  return [
    "import json, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    "${url}",`,
    `    method="${operation.method}",`,
    `    headers={"Authorization": "Bearer ${own.key}"${body === undefined ? "" : ', "Content-Type": "application/json"'}},`,
    ...(body === undefined ? [] : [`    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(body))})).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    "    print(answer.status, json.load(answer))",
  ].join("\n");
}

const writers = { curl, Go: go, TypeScript: typescript, Python: python };

export function example(language: ExampleLanguage, document: Document, operation: Operation, own: Own): string {
  return writers[language](operation, urlOf(operation, own), own, bodyOf(document, operation, own));
}
