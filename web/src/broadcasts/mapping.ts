import type { Template } from "../inbox/templates/template";
import type { Component } from "./data";

/** Where the text of a placeholder comes from. */
export type Source = "name" | "phone_number" | "email" | "metadata" | "column" | "text";

export interface Mapped {
  source: Source;
  /** The custom field, the column, or the text itself. */
  key: string;
  /** What stands there where there is no value. */
  fallback: string;
}

const names: Partial<Record<Source, string>> = { name: "contact.name", phone_number: "contact.phone_number", email: "contact.email" };

/** The text as the server takes it: a variable with its fallback, or the text as it is. */
export function textOf({ source, key, fallback }: Mapped): string {
  if (source === "text") return key.trim();
  const clean = key.trim().replace(/[{}|]/gu, "");
  const name = names[source] ?? (source === "metadata" ? `contact.metadata.${clean}` : `recipient.${clean}`);
  const rest = fallback.trim().replace(/[{}|]/gu, "");
  return rest ? `{{${name}|${rest}}}` : `{{${name}}}`;
}

const whole = /^\{\{([^{}|]+)(?:\|([^{}]*))?\}\}$/u;

/** The opposite of textOf. A text with more than one variable in it stays a text. */
export function mappedOf(text: string): Mapped {
  const found = whole.exec(text.trim());
  const [name = "", fallback = ""] = [found?.[1]?.trim(), found?.[2]?.trim()];
  for (const [source, of] of Object.entries(names)) if (of === name) return { source: source as Source, key: "", fallback };
  if (name.startsWith("contact.metadata.")) return { source: "metadata", key: name.slice("contact.metadata.".length), fallback };
  if (name.startsWith("recipient.")) return { source: "column", key: name.slice("recipient.".length), fallback };
  return { source: "text", key: text, fallback: "" };
}

/** Whether it says what is to stand there. */
export const isMapped = (m: Mapped | undefined) => m !== undefined && (m.source in names || m.key.trim() !== "");

/** The columns that a message wants of the list. */
export function columnsOf(components: Component[]): string[] {
  const found = JSON.stringify(components).matchAll(/\{\{\s*recipient\.([^{}|]+?)\s*(?:\|[^{}]*)?\}\}/gu);
  return [...new Set([...found].map((m) => m[1] ?? ""))];
}

/** Whether a message says everywhere what stands there where a column has no value. */
export const hasFallback = (components: Component[], column: string) =>
  [...JSON.stringify(components).matchAll(/\{\{\s*recipient\.([^{}|]+?)\s*(\|[^{}]*)?\}\}/gu)].every((m) => m[1] !== column || Boolean(m[2]?.slice(1).trim()));

interface Parameter {
  type: string;
  parameter_name?: string;
  text?: string;
  coupon_code?: string;
  [file: string]: unknown;
}

/** What stands in the parameters of a message, by the ids of the template's fields. */
export function valuesOf(template: Template, components: Component[]): Record<string, string> {
  const values: Record<string, string> = {};
  const read = (list: Component[], prefix: string) => {
    for (const c of list) {
      const parameters = (c.parameters ?? []) as Parameter[];
      if (c.type === "carousel") {
        for (const card of c.cards as { card_index: number; components: Component[] }[]) read(card.components, `${card.card_index}.`);
        continue;
      }
      parameters.forEach((p, i) => {
        const file = (p[p.type] as { id?: string } | undefined)?.id;
        const name = template.parameter_format === "named" ? p.parameter_name : String(i + 1);
        if (c.type === "button") values[`${prefix}button.${c.index as string}`] = p.coupon_code ?? p.text ?? "";
        else if (file) values[`${prefix}header`] = file;
        else values[`${prefix}${c.type}.${name}`] = p.text ?? "";
      });
    }
  };
  read(components, "");
  return values;
}
