import type { Button, Header, Preview } from "../thread/content/shapes";

/** A template as the API shows it. */
export interface Template {
  id: string;
  name: string;
  language: string;
  category: string | null;
  content: string;
  parameter_format: "positional" | "named";
  components: TemplatePart[];
}

export interface TemplatePart {
  type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS" | "CAROUSEL";
  format?: string;
  text?: string;
  buttons?: (Button & { type: string })[];
  cards?: { components: TemplatePart[] }[];
}

export type FileKind = "image" | "video" | "document";

/** Something to fill in before a template can be sent. */
export interface Field {
  id: string;
  /** The placeholder's own name, or what the value is for. */
  name: string;
  kind: "text" | FileKind;
  place: "header" | "body" | "button";
  /** The number of the card that it belongs to, from 1. */
  card?: string;
}

export type Values = Record<string, string | File>;

const placeholder = /\{\{\s*(\w+)\s*\}\}/gu;
/** The placeholders in a text, each once, in their order. */
export const placeholderNames = (text = "") => [...new Set([...text.matchAll(placeholder)].map((m) => m[1] ?? ""))];
const fileKinds: Record<string, FileKind> = { IMAGE: "image", VIDEO: "video", DOCUMENT: "document" };

const textOf = (part: TemplatePart, t: Template) =>
  part.text || (t.category === "AUTHENTICATION" && part.type === "BODY" ? "{{1}}" : "");
const partOf = (parts: TemplatePart[], type: TemplatePart["type"]) => parts.find((p) => p.type === type);

/** What a button needs: the end of its address, or a code. */
function needOf(b: Button): "url" | "copy_code" | null {
  if (b.type === "COPY_CODE") return "copy_code";
  return b.type === "OTP" || (b.type === "URL" && placeholderNames(b.url).length > 0) ? "url" : null;
}

/** The fields of a template, in the order in which the recipient reads them. */
export function fieldsOf(t: Template): Field[] {
  const cards = partOf(t.components, "CAROUSEL")?.cards ?? [];
  return [
    ...partFields(t, t.components, ""),
    ...cards.flatMap((card, i) => partFields(t, card.components, `${i}.`, String(i + 1))),
  ];
}

function partFields(t: Template, parts: TemplatePart[], prefix: string, card?: string): Field[] {
  const header = partOf(parts, "HEADER");
  const body = partOf(parts, "BODY");
  const kind = fileKinds[header?.format ?? ""];
  const fields: Field[] = kind ? [{ id: `${prefix}header`, name: kind, kind, place: "header", card }] : [];
  for (const name of placeholderNames(header?.text))
    fields.push({ id: `${prefix}header.${name}`, name, kind: "text", place: "header", card });
  for (const name of placeholderNames(body && textOf(body, t)))
    fields.push({ id: `${prefix}body.${name}`, name, kind: "text", place: "body", card });
  partOf(parts, "BUTTONS")?.buttons?.forEach((b, i) => {
    if (needOf(b))
      fields.push({ id: `${prefix}button.${i}`, name: b.text ?? "", kind: "text", place: "button", card });
  });
  return fields;
}

const fill = (text: string, prefix: string, values: Values) =>
  text.replace(placeholder, (whole, name: string) => {
    const value = values[`${prefix}.${name}`];
    return typeof value === "string" && value ? value : whole;
  });

/** What the recipient will see, with what has been filled in so far. */
export function previewOf(t: Template, values: Values): Preview {
  const cards = partOf(t.components, "CAROUSEL")?.cards ?? [];
  const seen = partPreview(t, t.components, "", values);
  return { ...seen, cards: cards.map((card, i) => partPreview(t, card.components, `${i}.`, values)) };
}

function partPreview(t: Template, parts: TemplatePart[], prefix: string, values: Values): Preview {
  const header = partOf(parts, "HEADER");
  const body = partOf(parts, "BODY");
  const file = values[`${prefix}header`];
  const shown: Header | undefined = header && {
    format: header.format,
    text: header.text ? fill(header.text, `${prefix}header`, values) : file instanceof File ? file.name : undefined,
  };
  return {
    header: shown,
    body: body && fill(textOf(body, t), `${prefix}body`, values),
    footer: partOf(parts, "FOOTER")?.text,
    buttons: partOf(parts, "BUTTONS")?.buttons,
  };
}

interface Component {
  type: string;
  [more: string]: unknown;
}

/** The components of the message. Files must have been stored: their values are the library's ids. */
export function componentsOf(t: Template, values: Record<string, string>): Component[] {
  const cards = partOf(t.components, "CAROUSEL")?.cards ?? [];
  const own = partComponents(t, t.components, "", values);
  if (cards.length === 0) return own;
  const filled = cards.map((card, i) => ({
    card_index: i,
    components: partComponents(t, card.components, `${i}.`, values),
  }));
  return [...own, { type: "carousel", cards: filled }];
}

function partComponents(
  t: Template,
  parts: TemplatePart[],
  prefix: string,
  values: Record<string, string>,
): Component[] {
  const named = t.parameter_format === "named";
  const texts = (place: "header" | "body", text: string | undefined) =>
    placeholderNames(text).map((name) => ({
      type: "text",
      ...(named ? { parameter_name: name } : {}),
      text: values[`${prefix}${place}.${name}`] ?? "",
    }));
  const header = partOf(parts, "HEADER");
  const body = partOf(parts, "BODY");
  const kind = fileKinds[header?.format ?? ""];
  const above = kind ? [{ type: kind, [kind]: { id: values[`${prefix}header`] } }] : texts("header", header?.text);
  const filled: Component[] = [
    { type: "header", parameters: above },
    { type: "body", parameters: texts("body", body && textOf(body, t)) },
  ].filter((c) => c.parameters.length > 0);
  partOf(parts, "BUTTONS")?.buttons?.forEach((b, i) => {
    const need = needOf(b);
    const value = values[`${prefix}button.${i}`] ?? "";
    const parameter =
      need === "copy_code" ? { type: "coupon_code", coupon_code: value } : { type: "text", text: value };
    if (need) filled.push({ type: "button", sub_type: need, index: String(i), parameters: [parameter] });
  });
  return filled;
}

/** Whether everything that a template needs is filled in. */
export function isFilled(fields: Field[], values: Values): boolean {
  return fields.every(({ id }) =>
    typeof values[id] === "string" ? values[id].trim() !== "" : values[id] instanceof File,
  );
}
