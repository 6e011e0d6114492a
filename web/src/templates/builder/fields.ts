import type { TemplatePart } from "../../inbox/templates/template";
import { componentsOf, placeholdersOf, type Form } from "./form";

/**
 * The field of the builder that the server's error is about: "components[2].buttons[0].url" is the address of the
 * first button. What no field stands for belongs to the whole form.
 */
export function fieldOf(form: Form, param: string | undefined): string | undefined {
  if (!param) return undefined;
  const [, index, rest = ""] = /^components\[(\d+)\]\.?(.*)$/u.exec(param) ?? [];
  if (index === undefined) return isPlain(param) ? param : undefined;
  const part = componentsOf(form)[Number(index)];
  return part && inPart(form, part, rest);
}

const plain = ["name", "language", "category", "message_send_ttl_seconds"];
const isPlain = (param: string) => plain.includes(param);

function inPart(form: Form, part: TemplatePart, rest: string): string | undefined {
  switch (part.type) {
    case "HEADER":
      return inHeader(form.header.format, rest, "header");
    case "BODY":
      return rest.startsWith("example") ? "body.samples" : "body.text";
    case "FOOTER":
      return form.category === "AUTHENTICATION" ? "auth.minutes" : "footer";
    case "BUTTONS":
      return form.category === "AUTHENTICATION" ? inOtp(rest) : inButtons(rest, "buttons");
    case "CAROUSEL":
      return inCards(part, rest);
  }
}

function inHeader(format: string, rest: string, prefix: string): string {
  if (rest.startsWith("example.header_text")) return `${prefix}.samples`;
  if (rest.startsWith("example")) return format === "TEXT" ? `${prefix}.samples` : `${prefix}.file`;
  return rest === "text" ? `${prefix}.text` : `${prefix}.format`;
}

function inButtons(rest: string, prefix: string): string {
  const [, index, name = "type"] = /^buttons\[(\d+)\]\.?(\w*)/u.exec(rest) ?? [];
  return index === undefined ? prefix : `${prefix}.${index}.${name || "type"}`;
}

function inOtp(rest: string): string {
  const [, name = "", app] = /^buttons\[\d+\]\.(\w+)(?:\[(\d+)\])?/u.exec(rest) ?? [];
  if (name === "supported_apps") return app === undefined ? "auth.apps" : `auth.apps.${app}`;
  return { text: "auth.text", autofill_text: "auth.autofill", zero_tap_terms_accepted: "auth.terms" }[name] ?? "auth.otp";
}

function inCards(carousel: TemplatePart, rest: string): string {
  const [, card, part, more = ""] = /^cards\[(\d+)\]\.components(?:\[(\d+)\]\.?(.*))?$/u.exec(rest) ?? [];
  if (card === undefined) return "cards";
  const prefix = `cards.${card}`;
  const type = part === undefined ? undefined : carousel.cards?.[Number(card)]?.components[Number(part)]?.type;
  if (type === "HEADER") return `${prefix}.file`;
  if (type === "BODY") return more.startsWith("example") ? `${prefix}.samples` : `${prefix}.text`;
  return type === "BUTTONS" ? inButtons(more, `${prefix}.buttons`) : prefix;
}

/** The fields that show an error beside them now. What is not among them is told at the top. */
export function shownFields(form: Form): Set<string> {
  const shown = new Set([...plain, "body.text"]);
  const add = (...names: string[]) => names.forEach((name) => shown.add(name));
  if (form.category === "AUTHENTICATION") {
    shown.delete("body.text");
    add("auth.minutes", "auth.otp", "auth.text");
    if (form.auth.otp !== "COPY_CODE") add("auth.apps", "auth.autofill", ...form.auth.apps.map((_, i) => `auth.apps.${i}`));
    if (form.auth.otp === "ZERO_TAP") add("auth.terms");
    return shown;
  }
  if (placeholdersOf(form.body.text).length > 0) add("body.samples");
  if (form.carousel && form.category === "MARKETING") {
    form.cards.forEach((card, i) => {
      add(`cards.${i}`, `cards.${i}.file`, `cards.${i}.text`, `cards.${i}.buttons`);
      if (placeholdersOf(card.text).length > 0) add(`cards.${i}.samples`);
      card.buttons.forEach((_, j) => add(...buttonFields(`cards.${i}.buttons.${j}`)));
    });
    add("cards");
    return shown;
  }
  add("header.format", "footer", "buttons");
  if (form.header.format === "TEXT") add("header.text", ...(placeholdersOf(form.header.text).length > 0 ? ["header.samples"] : []));
  else if (form.header.format !== "NONE" && form.header.format !== "LOCATION") add("header.file");
  form.buttons.forEach((_, i) => add(...buttonFields(`buttons.${i}`)));
  return shown;
}

const buttonFields = (prefix: string) => ["type", "text", "url", "phone_number", "example"].map((name) => `${prefix}.${name}`);
