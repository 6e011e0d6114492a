import { cleanup, render, screen } from "@testing-library/react";
import { encode } from "uqr";
import { afterEach, expect, it } from "vitest";
import { QrCode } from "./QrCode";

afterEach(cleanup);

/** Reads the drawing back into dark and light modules. */
function modules(path: string, size: number): boolean[][] {
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/gu)) rows[+y!]!.fill(true, +x!, +x! + +length!);
  return rows;
}

it("draws every module where it belongs, with a quiet zone around", () => {
  const value = "otpauth://totp/Parley:ana@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Parley";
  render(<QrCode value={value} label="To scan" />);
  const code = encode(value, { ecc: "M", border: 4 });
  const drawing = screen.getByRole("img", { name: "To scan" });
  expect(drawing.getAttribute("viewBox")).toBe(`0 0 ${code.size} ${code.size}`);
  const drawn = modules(drawing.querySelector("path")!.getAttribute("d")!, code.size);
  expect(drawn).toEqual(code.data);
  expect(drawn.slice(0, 4).flat()).not.toContain(true);
});
