import { queryOptions } from "@tanstack/react-query";

/** As much of an OpenAPI document as the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  pattern?: string;
  format?: string;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface RawOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses?: Record<string, { description?: string; $ref?: string }>;
}

export interface Document {
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body?: Schema;
  statuses: string[];
}

const methods = ["get", "post", "put", "patch", "delete"];

function last(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

export function resolve(document: Document, schema: Schema | undefined): Schema {
  let found = schema;
  for (let depth = 0; found?.$ref && depth < 10; depth++) found = document.components?.schemas?.[last(found.$ref)];
  return found ?? {};
}

/** The object that a field holds, by itself, in a list, or as the first of several choices. */
export function partsOf(document: Document, schema: Schema): Schema {
  let found = schema;
  for (let depth = 0; depth < 10; depth++) {
    const inner = found.items ?? found.oneOf?.[0] ?? found.anyOf?.[0];
    if (found.properties || !inner) return found;
    found = resolve(document, inner);
  }
  return {};
}

/** All operations of a document, in its order. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const raw = item[method];
      if (!raw) return [];
      const parameters = (raw.parameters ?? []).map((given) =>
        given.$ref ? (document.components?.parameters?.[last(given.$ref)] ?? given) : given,
      );
      return {
        id: raw.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        tag: raw.tags?.[0] ?? "",
        summary: raw.summary ?? "",
        description: raw.description ?? "",
        parameters,
        body: raw.requestBody?.content?.["application/json"]?.schema,
        statuses: Object.keys(raw.responses ?? {}),
      };
    }),
  );
}

/** Operations that have every word somewhere in their names, paths or descriptions. */
export function matching(operations: Operation[], typed: string): Operation[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const text = `${operation.method} ${operation.path} ${operation.summary} ${operation.description} ${operation.tag}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The public API's own description of itself. Anybody may read it. */
export const documentQuery = queryOptions({
  queryKey: ["reference"],
  queryFn: async ({ signal }) => {
    const answer = await fetch("/v1/openapi.json", { signal });
    if (!answer.ok) throw new Error(`The description of the API was answered with ${answer.status}.`);
    return (await answer.json()) as Document;
  },
});
