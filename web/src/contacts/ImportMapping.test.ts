import { expect, test } from "vitest";
import { text } from "../i18n";
import { problemOf } from "./ImportMapping";

test.each([
  ["phone_number: Must be a number in international form: 7 to 15 digits with or without +, the first not 0.", /name the country above/u],
  ["phone_number: The number is missing.", /^There is no phone number/u],
  ["phone_number: A spreadsheet has shortened this number to 4.9E+11. Format the column as text and export it again.", /shortened this number to 4\.9E\+11\. Format/u],
  ["email: This is not an e-mail address of at most 255 characters.", /^This is not an e-mail address\.$/u],
  ['There is no label "VIP". Make it first, or let the import make labels.', /^There is no label “VIP”/u],
  ["name: Something new.", /^Name: Something new\.$/u],
])("of %o people are told what to do", (problem, said) => {
  expect(problemOf(problem, text("contacts"))).toMatch(said);
});
