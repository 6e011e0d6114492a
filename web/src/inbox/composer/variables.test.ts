import { expect, it } from "vitest";
import { asked, fill } from "./variables";

const known = { contact: "Dewi Pratiwi", agent: "Ana Nur" };
const stranger = { contact: null, agent: "Ana Nur" };

it("fills in what is known", () => {
  expect(fill("Hi {{contact.first_name}}, {{ agent.name }} here", known)).toBe("Hi Dewi, Ana Nur here");
});

it("asks for what is not, once each", () => {
  const body = "{{contact.name}}: order {{order}}, again {{ order }}, {{date}}";
  expect(asked(body, known)).toEqual(["order", "date"]);
  expect(asked(body, stranger)).toEqual(["contact.name", "order", "date"]);
  expect(fill(body, stranger, { "contact.name": "Kak", order: "7" })).toBe("Kak: order 7, again 7, {{date}}");
});

it("takes an answer as it is, also with signs that mean something elsewhere", () => {
  expect(fill("{{x}}", known, { x: "$& {{agent.name}}" })).toBe("$& {{agent.name}}");
});
