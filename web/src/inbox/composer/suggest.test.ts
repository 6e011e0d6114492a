import { expect, it } from "vitest";
import type { Person, Reply } from "../../api/types";
import { offerPeople, offerReplies } from "./suggest";

const reply = (name: string, body: string): Reply => ({
  id: name,
  name,
  body,
  media_id: null,
  team_id: null,
  owner_id: null,
});
const replies = [
  reply("hours", "We are open from 9 to 5"),
  reply("address", "Jalan Mawar 1"),
  reply("thanks", "Thank you, open again soon"),
];
const person = (name: string, disabled = false) => ({ id: name, name, email: "", disabled }) as Person;

const offered = (body: string) => offerReplies(body, body.length, replies)?.options.map((o) => o.title) ?? null;

it("offers canned replies after a slash, by name first and then by body", () => {
  expect(offered("/")).toEqual(["hours", "address", "thanks"]);
  expect(offered("/open")).toEqual(["hours", "thanks"]);
  expect(offered("/than")).toEqual(["thanks"]);
  expect(offered("hello /addr")).toEqual(["address"]);
});

it("does not take every slash for one", () => {
  expect(offered("and/or")).toBeNull();
  expect(offered("http://")).toBeNull();
  expect(offered("no slash")).toBeNull();
  expect(offered("/nothing like it")).toEqual([]);
});

it("says what a choice takes the place of", () => {
  expect(offerReplies("hello /addr", 11, replies)?.from).toBe(6);
});

it("offers colleagues who are there", () => {
  const names = offerPeople("ask @b", 6, [person("Budi"), person("Bea", true), person("Ana")])?.options.map(
    (o) => o.title,
  );
  expect(names).toEqual(["Budi"]);
});
