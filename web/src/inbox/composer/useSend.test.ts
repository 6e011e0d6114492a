import { expect, it } from "vitest";
import { contentsOf } from "./useSend";

const png = new File(["x"], "a.png", { type: "image/png" });
const ogg = new File(["x"], "a.ogg", { type: "audio/ogg" });
const short = (body: string, ...files: File[]) =>
  contentsOf(body, files).map(({ content }) => `${content.type} ${JSON.stringify(content[content.type])}`);

it("sends a text alone", () => {
  expect(short("hi")).toEqual(['text {"body":"hi"}']);
});

it("makes the text the first file's caption", () => {
  expect(short("hi", ogg, png, png)).toEqual(["audio {}", 'image {"caption":"hi"}', "image {}"]);
});

it("sends the text first where no file can have one", () => {
  expect(short("hi", ogg)).toEqual(['text {"body":"hi"}', "audio {}"]);
});

it("sends a text by itself that is too long for a caption", () => {
  const long = "😀".repeat(1024);
  expect(short(long, png)).toEqual([`image {"caption":"${long}"}`]);
  expect(short(`${long}!`, png)).toEqual([`text {"body":"${long}!"}`, "image {}"]);
});
