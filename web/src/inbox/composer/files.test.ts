import { expect, it } from "vitest";
import { contentOf, kindOf, pastedFiles } from "./files";

it.each([
  ["image/png", 1000, "image"],
  ["image/png", 6_000_000, "document"],
  ["image/gif", 1000, "document"],
  ["video/mp4", 15_000_000, "video"],
  ["video/mp4", 17_000_000, "document"],
  ["audio/ogg; codecs=opus", 1000, "audio"],
  ["application/pdf", 1000, "document"],
  ["", 1000, "document"],
])("%s of %d bytes goes as %s", (type, size, kind) => {
  expect(kindOf({ type, size })).toBe(kind);
});

it("puts the caption where one can be", () => {
  expect(contentOf({ type: "image/png", size: 1, name: "a.png" }, "hi")).toEqual({
    type: "image",
    image: { caption: "hi" },
  });
  expect(contentOf({ type: "audio/mpeg", size: 1, name: "a.mp3" }, "hi")).toEqual({ type: "audio", audio: {} });
  expect(contentOf({ type: "", size: 1, name: "a.zip" }, "")).toEqual({
    type: "document",
    document: { filename: "a.zip" },
  });
});

it.each([
  ["a picture", ["Files"], 1],
  ["a picture of a page", ["text/html", "Files"], 1],
  ["a file by its name", ["text/plain", "Files"], 1],
  ["cells of a table", ["text/plain", "text/html", "text/rtf", "Files"], 0],
  ["a paragraph", ["text/plain", "text/rtf", "Files"], 0],
])("of %s the files are pasted, or the text", (_, types, count) => {
  const files = [new File(["x"], "image.png", { type: "image/png" })] as unknown as FileList;
  expect(pastedFiles({ files, types })).toHaveLength(count);
});
