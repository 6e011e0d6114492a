import { placeholderNames, type TemplatePart } from "../../inbox/templates/template";
import { kindOfType, type LibraryFile } from "../../media/data";
import type { Category } from "../address";
import type { FullTemplate, NewTemplate } from "../data";

export type HeaderFormat = "NONE" | "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
export type ButtonType = "QUICK_REPLY" | "URL" | "PHONE_NUMBER" | "COPY_CODE";
export type OtpType = "COPY_CODE" | "ONE_TAP" | "ZERO_TAP";

/** The sample of a header: a library file by its id, or what the provider has already. */
export interface SampleFile {
  id: string;
  name: string;
  path?: string;
}

export interface ButtonForm {
  type: ButtonType;
  text: string;
  url: string;
  phone: string;
  example: string;
}

export type Samples = Record<string, string>;

export interface CardForm {
  file: SampleFile | null;
  text: string;
  samples: Samples;
  buttons: ButtonForm[];
}

export interface AuthForm {
  otp: OtpType;
  security: boolean;
  minutes: string;
  text: string;
  autofill: string;
  apps: { package_name: string; signature_hash: string }[];
  terms: boolean;
}

/** All that the builder's fields hold. It is also what a draft keeps. */
export interface Form {
  name: string;
  language: string;
  category: Category;
  named: boolean;
  ttl: string;
  carousel: boolean;
  header: { format: HeaderFormat; text: string; samples: Samples; file: SampleFile | null };
  body: { text: string; samples: Samples };
  footer: string;
  buttons: ButtonForm[];
  cardFormat: "IMAGE" | "VIDEO";
  cards: CardForm[];
  auth: AuthForm;
}

export const emptyButton = (type: ButtonType = "QUICK_REPLY"): ButtonForm => ({ type, text: "", url: "", phone: "", example: "" });
export const emptyCard = (buttons: ButtonForm[] = [emptyButton()]): CardForm => ({ file: null, text: "", samples: {}, buttons });

export const emptyForm: Form = {
  name: "",
  language: "en",
  category: "UTILITY",
  named: false,
  ttl: "",
  carousel: false,
  header: { format: "NONE", text: "", samples: {}, file: null },
  body: { text: "", samples: {} },
  footer: "",
  buttons: [],
  cardFormat: "IMAGE",
  cards: [emptyCard()],
  auth: { otp: "COPY_CODE", security: true, minutes: "10", text: "", autofill: "", apps: [{ package_name: "", signature_hash: "" }], terms: false },
};

/** What is added for the next placeholder of a text. */
export function nextPlaceholder(text: string, named: boolean): string {
  const names = placeholderNames(text);
  if (!named) return `{{${names.filter((n) => /^\d+$/u.test(n)).length + 1}}}`;
  let i = names.length + 1;
  while (names.includes(`value_${i}`)) i++;
  return `{{value_${i}}}`;
}

/** The placeholders of a text in the order of their samples: numbers by their value. */
export function placeholdersOf(text: string): string[] {
  const names = placeholderNames(text);
  return names.every((n) => /^\d+$/u.test(n)) ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
}

function samplesOf(text: string, samples: Samples, named: boolean, place: "header" | "body"): object | undefined {
  const names = placeholdersOf(text);
  const values = names.map((name) => samples[name] ?? "");
  if (names.length === 0 || values.every((v) => v === "")) return undefined;
  if (named) return { [`${place}_text_named_params`]: names.map((name, i) => ({ param_name: name, example: values[i] })) };
  return place === "body" ? { body_text: [values] } : { header_text: values };
}

const withExample = (part: object, example: object | undefined) => (example ? { ...part, example } : part) as TemplatePart;
const fileExample = (file: SampleFile | null) => (file ? { header_handle: [file.id] } : undefined);

function buttonOf(b: ButtonForm): object {
  const example = b.example.trim();
  switch (b.type) {
    case "URL":
      return { type: b.type, text: b.text, url: b.url.trim(), ...(placeholderNames(b.url).length > 0 && example ? { example: [example] } : {}) };
    case "PHONE_NUMBER":
      return { type: b.type, text: b.text, phone_number: b.phone.replace(/[\s()./-]/gu, "") };
    case "COPY_CODE":
      return { type: b.type, ...(example ? { example } : {}) };
    default:
      return { type: b.type, text: b.text };
  }
}

function headerOf({ header: h, named }: Form): TemplatePart[] {
  if (h.format === "NONE") return [];
  if (h.format === "LOCATION") return [{ type: "HEADER", format: h.format }];
  if (h.format === "TEXT") return [withExample({ type: "HEADER", format: "TEXT", text: h.text }, samplesOf(h.text, h.samples, named, "header"))];
  return [withExample({ type: "HEADER", format: h.format }, fileExample(h.file))];
}

const bodyOf = (text: string, samples: Samples, named: boolean) =>
  withExample({ type: "BODY", text }, samplesOf(text, samples, named, "body"));

function cardOf(card: CardForm, { cardFormat, named }: Form): { components: TemplatePart[] } {
  return {
    components: [
      withExample({ type: "HEADER", format: cardFormat }, fileExample(card.file)),
      ...(card.text ? [bodyOf(card.text, card.samples, named)] : []),
      { type: "BUTTONS", buttons: card.buttons.map(buttonOf) } as TemplatePart,
    ],
  };
}

function authParts({ auth: a }: Form): TemplatePart[] {
  const apps = a.otp === "COPY_CODE" ? {} : { supported_apps: a.apps, ...(a.autofill ? { autofill_text: a.autofill } : {}) };
  const terms = a.otp === "ZERO_TAP" ? { zero_tap_terms_accepted: a.terms } : {};
  const button = { type: "OTP", otp_type: a.otp, ...(a.text ? { text: a.text } : {}), ...apps, ...terms };
  return [
    { type: "BODY", add_security_recommendation: a.security },
    ...(a.minutes ? [{ type: "FOOTER", code_expiration_minutes: Number(a.minutes) }] : []),
    { type: "BUTTONS", buttons: [button] },
  ] as TemplatePart[];
}

/** Files belong to a number: another one has others. */
export const withoutFiles = (form: Form): Form => ({
  ...form,
  header: { ...form.header, file: null },
  cards: form.cards.map((card) => ({ ...card, file: null })),
});

/** The components as the server takes them. */
export function componentsOf(form: Form): TemplatePart[] {
  if (form.category === "AUTHENTICATION") return authParts(form);
  const body = bodyOf(form.body.text, form.body.samples, form.named);
  if (form.carousel && form.category === "MARKETING")
    return [body, { type: "CAROUSEL", cards: form.cards.map((card) => cardOf(card, form)) }];
  return [
    ...headerOf(form),
    body,
    ...(form.footer ? [{ type: "FOOTER", text: form.footer } as TemplatePart] : []),
    ...(form.buttons.length > 0 ? [{ type: "BUTTONS", buttons: form.buttons.map(buttonOf) } as TemplatePart] : []),
  ];
}

export function templateOf(form: Form): NewTemplate {
  return {
    name: form.name,
    language: form.language,
    category: form.category,
    parameter_format: form.named ? "named" : "positional",
    ...(form.ttl ? { message_send_ttl_seconds: Number(form.ttl) } : {}),
    components: componentsOf(form),
  };
}

interface Example {
  header_text?: string[];
  header_text_named_params?: { param_name: string; example: string }[];
  header_handle?: string[] | string;
  body_text?: string[][];
  body_text_named_params?: { param_name: string; example: string }[];
}

/** A component as the provider has it: with more than what is needed to send it. */
type FullPart = TemplatePart & { example?: Example; add_security_recommendation?: boolean; code_expiration_minutes?: number };
type FullButton = {
  type: string; text?: string; url?: string; phone_number?: string; example?: string | string[]; otp_type?: OtpType; autofill_text?: string;
  supported_apps?: AuthForm["apps"]; zero_tap_terms_accepted?: boolean;
};

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? (value[0] ?? "") : (value ?? ""));

function readSamples(part: FullPart | undefined, place: "header" | "body"): Samples {
  const e = part?.example;
  const named = place === "body" ? e?.body_text_named_params : e?.header_text_named_params;
  if (named) return Object.fromEntries(named.map((n) => [n.param_name, n.example]));
  const values = (place === "body" ? e?.body_text?.[0] : e?.header_text) ?? [];
  return Object.fromEntries(values.map((value, i) => [String(i + 1), value]));
}

function readFile(part: FullPart | undefined, place: string, files: { place: string; file: LibraryFile }[]): SampleFile | null {
  const known = files.find((f) => f.place === place)?.file;
  if (known) return fileOf(known);
  const handle = first(part?.example?.header_handle);
  return handle ? { id: handle, name: "" } : null;
}

export const fileOf = (f: LibraryFile): SampleFile => ({
  id: f.id,
  name: f.filename ?? f.id,
  path: kindOfType(f.mime_type) === "document" ? undefined : f.path,
});

const readButton = (b: FullButton): ButtonForm => ({
  type: b.type as ButtonType,
  text: b.text ?? "",
  url: b.url ?? "",
  phone: b.phone_number ?? "",
  example: first(b.example),
});

function readCards(parts: FullPart[], at: number, files: { place: string; file: LibraryFile }[]): CardForm[] {
  return (parts[at]?.cards ?? []).map(({ components }, i) => {
    const own = components as FullPart[];
    const header = own.findIndex((p) => p.type === "HEADER");
    const body = own.find((p) => p.type === "BODY");
    return {
      file: readFile(own[header], `components[${at}].cards[${i}].components[${header}]`, files),
      text: body?.text ?? "",
      samples: readSamples(body, "body"),
      buttons: ((own.find((p) => p.type === "BUTTONS")?.buttons ?? []) as FullButton[]).map(readButton),
    };
  });
}

function readAuth(parts: FullPart[]): AuthForm {
  const button = (parts.find((p) => p.type === "BUTTONS")?.buttons?.[0] ?? {}) as Partial<FullButton>;
  const minutes = parts.find((p) => p.type === "FOOTER")?.code_expiration_minutes;
  const otp = button.otp_type ?? "COPY_CODE";
  return {
    ...emptyForm.auth,
    otp,
    security: parts.find((p) => p.type === "BODY")?.add_security_recommendation ?? false,
    minutes: minutes === undefined ? "" : String(minutes),
    text: button.text ?? "",
    autofill: button.autofill_text ?? "",
    apps: button.supported_apps ?? emptyForm.auth.apps,
    terms: button.zero_tap_terms_accepted ?? false,
  };
}

/** A template as the builder's fields show it, with the library files that it was made with. */
export function formOf(t: FullTemplate, files: { place: string; file: LibraryFile }[] = []): Form {
  const parts = t.components as FullPart[];
  const at = (type: TemplatePart["type"]) => parts.findIndex((p) => p.type === type);
  const header = parts[at("HEADER")];
  const body = parts[at("BODY")];
  const carousel = at("CAROUSEL");
  const cards = carousel < 0 ? [] : readCards(parts, carousel, files);
  const cardHeader = parts[carousel]?.cards?.[0]?.components.find((p) => p.type === "HEADER");
  return {
    ...emptyForm,
    name: t.name,
    language: t.language,
    category: t.category ?? "UTILITY",
    named: t.parameter_format === "named",
    ttl: t.message_send_ttl_seconds === null ? "" : String(t.message_send_ttl_seconds),
    carousel: carousel >= 0,
    header: {
      format: header ? ((header.format ?? "TEXT") as HeaderFormat) : "NONE",
      text: header?.text ?? "",
      samples: readSamples(header, "header"),
      file: readFile(header, `components[${at("HEADER")}]`, files),
    },
    body: { text: body?.text ?? "", samples: readSamples(body, "body") },
    footer: parts[at("FOOTER")]?.text ?? "",
    buttons: t.category === "AUTHENTICATION" ? [] : ((parts[at("BUTTONS")]?.buttons ?? []) as FullButton[]).map(readButton),
    cardFormat: cardHeader?.format === "VIDEO" ? "VIDEO" : "IMAGE",
    cards: cards.length > 0 ? cards : emptyForm.cards,
    auth: t.category === "AUTHENTICATION" ? readAuth(parts) : emptyForm.auth,
  };
}
