import { describe, expect, it } from "vitest";
import { parseText, plainText, safeLink, type Piece } from "./format";

const short = (pieces: Piece[]): string =>
  pieces
    .map((p) => {
      if (p.kind === "text") return p.text;
      if (p.kind === "code") return `<${p.block ? "pre" : "code"}>${p.text}</>`;
      if (p.kind === "link") return `<a ${p.href}>${p.text}</>`;
      return `<${p.kind}>${short(p.pieces)}</>`;
    })
    .join("");

describe("parseText", () => {
  it.each([
    ["plain", "plain"],
    ["*bold* and _italic_ and ~gone~", "<bold>bold</> and <italic>italic</> and <strike>gone</>"],
    ["*_both_*", "<bold><italic>both</></>"],
    ["2*3*4 stays", "2*3*4 stays"],
    ["* not bold *", "* not bold *"],
    ["snake_case_name", "snake_case_name"],
    ["*open\nnext*", "*open\nnext*"],
    ["```a *b*\nc```", "<pre>a *b*\nc</>"],
    ["```a``` b", "<code>a</> b"],
    ["`x_y_z` ok", "<code>x_y_z</> ok"],
    ["`` empty", "`` empty"],
    ["https://a.b/x_y_z.", "<a https://a.b/x_y_z>https://a.b/x_y_z</>."],
    ["(see https://a.b/c)", "(see <a https://a.b/c>https://a.b/c</>)"],
    ["*https://a.b/c*", "<bold><a https://a.b/c>https://a.b/c</></>"],
    ["www.shop.id/x", "<a https://www.shop.id/x>www.shop.id/x</>"],
    ["mail a.b@c.id!", "mail <a mailto:a.b@c.id>a.b@c.id</>!"],
    ["call +62 812 3456 7890 now", "call <a tel:+6281234567890>+62 812 3456 7890</> now"],
    ["javascript:alert(1)", "javascript:alert(1)"],
    ["<b>x</b>", "<b>x</b>"],
  ])("%s", (text, want) => {
    expect(short(parseText(text))).toBe(want);
  });

  it("keeps every character that is not a mark, whatever the text", () => {
    const signs = ["*", "_", "~", "`", "```", " ", "\n", "a", "https://x.y/", "+6281234567890", "(", ")", "."];
    let seed = 7;
    const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
    const letters = (s: string) => s.replace(/[*_~`\s]/gu, "");
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: 24 }, () => signs[next() % signs.length]).join("");
      expect(letters(plainText(text))).toBe(letters(text));
    }
  });

  it("leaves a long text of opened marks as it is", () => {
    const text = "*a _b ~c ".repeat(400);
    expect(parseText(text)).toEqual([{ kind: "text", text }]);
  });
});

describe("safeLink", () => {
  it.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "//x", "", undefined])(
    "refuses %s",
    (address) => {
      expect(safeLink(address)).toBeNull();
    },
  );
});
