import { previewOf, type Template, type TemplatePart, type Values } from "../../inbox/templates/template";
import type { Preview } from "../../inbox/thread/content/shapes";
import { componentsOf, type Form, type Samples } from "./form";

/** What the provider writes into authentication templates, in English; others get it in their language. */
export interface AuthTexts {
  body: string;
  security: string;
  expires: (minutes: string) => string;
  copy: string;
  autofill: string;
}

const prefixed = (prefix: string, samples: Samples): Values =>
  Object.fromEntries(Object.entries(samples).map(([name, value]) => [`${prefix}.${name}`, value]));

function authParts({ auth: a }: Form, words: AuthTexts): TemplatePart[] {
  const text = a.otp === "COPY_CODE" ? a.text || words.copy : a.autofill || words.autofill;
  return [
    { type: "BODY", text: a.security ? `${words.body} ${words.security}` : words.body },
    ...(a.minutes ? [{ type: "FOOTER", text: words.expires(a.minutes) } as TemplatePart] : []),
    ...(a.otp === "ZERO_TAP" ? [] : [{ type: "BUTTONS", buttons: [{ type: "COPY_CODE", text }] } as TemplatePart]),
  ];
}

/** What the recipient will see, filled with the samples. */
export function previewOfForm(form: Form, words: AuthTexts): Preview {
  const auth = form.category === "AUTHENTICATION";
  const template: Template = {
    id: "", name: form.name, language: form.language, category: form.category, content: form.body.text,
    parameter_format: form.named ? "named" : "positional",
    components: auth ? authParts(form, words) : componentsOf(form),
  };
  const values: Values = { ...prefixed("header", form.header.samples), ...prefixed("body", auth ? { 1: "123456" } : form.body.samples) };
  form.cards.forEach((card, i) => Object.assign(values, prefixed(`${i}.body`, card.samples)));
  const seen = previewOf(template, values);
  return {
    ...seen,
    header: seen.header && withFile(seen.header, form.header.file),
    buttons: seen.buttons?.map((b) => (b.type === "COPY_CODE" && !auth ? { ...b, text: words.copy } : b)),
    cards: seen.cards?.map((card, i) => ({ ...card, header: card.header && withFile(card.header, form.cards[i]?.file ?? null) })),
  };
}

function withFile(header: NonNullable<Preview["header"]>, file: Form["header"]["file"]): NonNullable<Preview["header"]> {
  if (!header.format || header.format === "TEXT" || !file) return header;
  return { ...header, text: file.path ? undefined : file.name || undefined, src: file.path };
}
