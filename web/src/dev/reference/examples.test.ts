import { expect, test } from "vitest";
import { matching, operationsOf, type Document } from "./document";
import { bodyOf, example, languages, urlOf, wantedBy } from "./examples";

const document: Document = {
  paths: {
    "/{phone_number_id}/messages": { post: { operationId: "sendMessage", summary: "Send a message", requestBody: { content: { "application/json": { schema: {} } } } } },
    "/labels/{id}": {
      get: { operationId: "getLabel", summary: "Get a label", parameters: [{ name: "id", in: "path", schema: { pattern: "^lbl_[0-9]{26}$" } }] },
      patch: { operationId: "updateLabel", requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Label" } } } } },
    },
  },
  components: {
    schemas: { Label: { type: "object", required: ["name"], properties: { name: { type: "string" }, color: { type: "string", enum: ["red"] } } } },
  },
};
const own = { origin: "https://chat.example", key: "svc_live_x", phoneNumberId: "100200300", ids: {} };
const [send, get, update] = operationsOf(document) as [ReturnType<typeof operationsOf>[0], ReturnType<typeof operationsOf>[0], ReturnType<typeof operationsOf>[0]];

test("examples have the user's own number and key", () => {
  for (const language of languages) {
    const text = example(language, document, send, own);
    expect(text).toContain("https://chat.example/v1/100200300/messages");
    expect(text).toContain("svc_live_x");
    expect(text).toContain("messaging_product");
  }
});

test("other ids are of the right kind, and a body has what must be there", () => {
  expect(urlOf(get, own)).toBe("https://chat.example/v1/labels/lbl_…");
  expect(wantedBy(get)).toEqual(["lbl_"]);
  expect(urlOf(get, { ...own, ids: { lbl_: "lbl_01H" } })).toBe("https://chat.example/v1/labels/lbl_01H");
  expect(bodyOf(document, get)).toBeUndefined();
  expect(bodyOf(document, update)).toEqual({ name: "…" });
});

test("a search wants all words", () => {
  const all = operationsOf(document);
  expect(matching(all, "label get").map((operation) => operation.id)).toEqual(["getLabel"]);
  expect(matching(all, "")).toHaveLength(3);
});
