import { expect, test } from "vitest";
import type { FullTemplate } from "../data";
import { fieldOf, shownFields } from "./fields";
import { componentsOf, emptyButton, emptyForm, formOf, nextPlaceholder, templateOf, withoutFiles, type Form } from "./form";
import { previewOfForm } from "./preview";

const words = { body: "*{{1}}* is your code.", security: "Keep it.", expires: (m: string) => `Ends in ${m}.`, copy: "Copy", autofill: "Fill" };

const promo: Form = {
  ...emptyForm,
  name: "promo",
  category: "MARKETING",
  header: { format: "IMAGE", text: "", samples: {}, file: { id: "med_1", name: "a.png", path: "/media/x" } },
  body: { text: "Hi {{1}}, it costs {{2}} now.", samples: { 1: "Ada", 2: "5" } },
  footer: "Shop",
  buttons: [
    { ...emptyButton("URL"), text: "Go", url: "https://a.example/{{1}}", example: "https://a.example/x" },
    { ...emptyButton("COPY_CODE"), example: "SALE" },
    { ...emptyButton(), text: "Stop" },
  ],
};

const carousel: Form = {
  ...emptyForm,
  category: "MARKETING",
  carousel: true,
  body: { text: "Look", samples: {} },
  cards: [{ file: { id: "med_2", name: "b.png" }, text: "One {{1}} here", samples: { 1: "x" }, buttons: [{ ...emptyButton(), text: "Yes" }] }],
};

test("fields become components, with samples only where there are placeholders", () => {
  expect(componentsOf(promo)).toEqual([
    { type: "HEADER", format: "IMAGE", example: { header_handle: ["med_1"] } },
    { type: "BODY", text: promo.body.text, example: { body_text: [["Ada", "5"]] } },
    { type: "FOOTER", text: "Shop" },
    { type: "BUTTONS", buttons: [
      { type: "URL", text: "Go", url: "https://a.example/{{1}}", example: ["https://a.example/x"] },
      { type: "COPY_CODE", example: "SALE" },
      { type: "QUICK_REPLY", text: "Stop" },
    ] },
  ]);
  const named = componentsOf({ ...emptyForm, named: true, body: { text: "Hi {{who}}!", samples: { who: "Ada" } } });
  expect(named).toEqual([{ type: "BODY", text: "Hi {{who}}!", example: { body_text_named_params: [{ param_name: "who", example: "Ada" }] } }]);
});

test("what the server has comes back into the same fields", () => {
  for (const form of [promo, carousel, { ...emptyForm, category: "AUTHENTICATION" as const }]) {
    const made = templateOf(form);
    const stored = { ...made, message_send_ttl_seconds: null } as unknown as FullTemplate;
    expect(componentsOf(formOf(stored))).toEqual(componentsOf(form));
  }
});

test("an error is shown beside the field that it is about", () => {
  expect(fieldOf(promo, "name")).toBe("name");
  expect(fieldOf(promo, "components[0].example.header_handle")).toBe("header.file");
  expect(fieldOf(promo, "components[1].text")).toBe("body.text");
  expect(fieldOf(promo, "components[1].example.body_text")).toBe("body.samples");
  expect(fieldOf(promo, "components[2].text")).toBe("footer");
  expect(fieldOf(promo, "components[3].buttons[0].url")).toBe("buttons.0.url");
  expect(fieldOf(promo, "components[3].buttons")).toBe("buttons");
  expect(fieldOf(carousel, "components[1].cards[0].components[0].example.header_url")).toBe("cards.0.file");
  expect(fieldOf(carousel, "components[1].cards[0].components[2].buttons[0].text")).toBe("cards.0.buttons.0.text");
  expect(fieldOf(carousel, "components[1].cards[0].components")).toBe("cards.0");
  expect(fieldOf(promo, "components")).toBeUndefined();
  const auth = { ...emptyForm, category: "AUTHENTICATION" as const };
  expect(fieldOf(auth, "components[1].code_expiration_minutes")).toBe("auth.minutes");
  expect(fieldOf(auth, "components[2].buttons[0].supported_apps[1].package_name")).toBe("auth.apps.1");
});

test("every field that an error can name is on the page", () => {
  for (const field of ["header.file", "body.text", "body.samples", "footer", "buttons.2.text"]) expect(shownFields(promo)).toContain(field);
  expect(shownFields(carousel)).toContain("cards.0.buttons.0.text");
  expect(shownFields(carousel)).not.toContain("footer");
});

test("the next placeholder follows those that are there", () => {
  expect(nextPlaceholder("Hi {{1}} and {{1}}", false)).toBe("{{2}}");
  expect(nextPlaceholder("Hi {{value_2}}", true)).toBe("{{value_3}}");
});

test("the preview is filled with samples and shows the file", () => {
  const seen = previewOfForm(promo, words);
  expect(seen.body).toBe("Hi Ada, it costs 5 now.");
  expect(seen.header?.src).toBe("/media/x");
  expect(previewOfForm({ ...emptyForm, category: "AUTHENTICATION" }, words)).toMatchObject({ body: "*123456* is your code. Keep it.", footer: "Ends in 10." });
});

test("another number keeps all but the files", () => {
  const cards = [{ ...promo.cards[0]!, text: "Warm", file: { id: "med_2", name: "b.png" } }];
  const kept = withoutFiles({ ...promo, cards });
  expect(kept.header).toEqual({ ...promo.header, file: null });
  expect(kept.cards).toEqual([{ ...cards[0], file: null }]);
  expect({ ...kept, header: promo.header, cards }).toEqual({ ...promo, cards });
});
