import { expect, it } from "vitest";
import { inbox } from "../../i18n/en/inbox";
import { componentsOf, fieldsOf, isFilled, previewOf, type Template, type TemplatePart } from "./template";

const made = (components: TemplatePart[], more: Partial<Template> = {}): Template => ({
  id: "tmpl_1",
  name: "x",
  language: "en_US",
  category: "UTILITY",
  content: "",
  parameter_format: "positional",
  components,
  ...more,
});

const promo = made([
  { type: "HEADER", format: "TEXT", text: "Hi {{1}}" },
  { type: "BODY", text: "Order {{1}} of {{2}}, again {{1}}" },
  { type: "FOOTER", text: "Toko" },
  {
    type: "BUTTONS",
    buttons: [
      { type: "QUICK_REPLY", text: "Yes" },
      { type: "URL", text: "Track", url: "https://x.y/{{1}}" },
    ],
  },
]);
const values = { "header.1": "Dewi", "body.1": "7", "body.2": "Monday", "button.1": "abc" };

it("asks for each placeholder once, in reading order", () => {
  expect(fieldsOf(promo).map((f) => f.id)).toEqual(["header.1", "body.1", "body.2", "button.1"]);
});

it("shows what is filled in, and what is not", () => {
  expect(previewOf(promo, { "body.1": "7" })).toMatchObject({
    header: { text: "Hi {{1}}" },
    body: "Order 7 of {{2}}, again 7",
    footer: "Toko",
  });
});

it("makes the components that the message needs, and no empty ones", () => {
  expect(componentsOf(promo, values)).toEqual([
    { type: "header", parameters: [{ type: "text", text: "Dewi" }] },
    {
      type: "body",
      parameters: [
        { type: "text", text: "7" },
        { type: "text", text: "Monday" },
      ],
    },
    { type: "button", sub_type: "url", index: "1", parameters: [{ type: "text", text: "abc" }] },
  ]);
  expect(componentsOf(made([{ type: "BODY", text: "Hello" }]), {})).toEqual([]);
});

it("names parameters where the template does", () => {
  const named = made([{ type: "BODY", text: "Hi {{first_name}}" }], { parameter_format: "named" });
  expect(componentsOf(named, { "body.first_name": "Dewi" })).toEqual([
    { type: "body", parameters: [{ type: "text", parameter_name: "first_name", text: "Dewi" }] },
  ]);
});

it("takes a file for a header", () => {
  const invoice = made([
    { type: "HEADER", format: "DOCUMENT" },
    { type: "BODY", text: "x" },
  ]);
  expect(fieldsOf(invoice)).toMatchObject([{ id: "header", kind: "document" }]);
  expect(componentsOf(invoice, { header: "med_1" })).toEqual([
    { type: "header", parameters: [{ type: "document", document: { id: "med_1" } }] },
  ]);
  expect(previewOf(invoice, { header: new File([], "a.pdf") }).header?.text).toBe("a.pdf");
});

it("fills the cards of a carousel", () => {
  const card = (url: string) => ({
    components: [
      { type: "HEADER", format: "IMAGE" },
      { type: "BODY", text: "{{1}}" },
      { type: "BUTTONS", buttons: [{ type: "URL", text: "Go", url }] },
    ] as TemplatePart[],
  });
  const carousel = made([
    { type: "BODY", text: "Hi" },
    { type: "CAROUSEL", cards: [card("https://x/{{1}}"), card("https://x/a")] },
  ]);
  expect(fieldsOf(carousel).map((f) => f.id)).toEqual(["0.header", "0.body.1", "0.button.0", "1.header", "1.body.1"]);
  const names = fieldsOf(carousel).map((f) => (f.kind === "text" ? inbox.templateField(f.place, f.name, f.card) : inbox.templateFile(f.kind, f.card)));
  expect(names).toEqual(["Card 1 · Image", "Card 1 · Text {{1}}", "Card 1 · Button “Go”", "Card 2 · Image", "Card 2 · Text {{1}}"]);
  expect(
    componentsOf(carousel, { "0.header": "m", "0.body.1": "a", "0.button.0": "b", "1.header": "n", "1.body.1": "c" }),
  ).toMatchObject([
    {
      type: "carousel",
      cards: [
        { card_index: 0, components: [{ type: "header" }, { type: "body" }, { type: "button", index: "0" }] },
        { card_index: 1 },
      ],
    },
  ]);
});

it("gives the code of an authentication template to its text and its button", () => {
  const code = made([{ type: "BODY" }, { type: "BUTTONS", buttons: [{ type: "OTP", text: "Copy" }] }], {
    category: "AUTHENTICATION",
  });
  expect(fieldsOf(code).map((f) => f.id)).toEqual(["body.1", "button.0"]);
});

it("is filled when nothing is open", () => {
  expect(isFilled(fieldsOf(promo), values)).toBe(true);
  expect(isFilled(fieldsOf(promo), { ...values, "body.2": " " })).toBe(false);
});
