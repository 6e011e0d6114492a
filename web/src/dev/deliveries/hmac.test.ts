import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { hmac } from "./hmac";

test("the browser computes what a receiver computes", async () => {
  const text = '1794753128.{"name":"Marta Kovač"}';
  expect(await hmac("whsec_secret", text)).toBe(createHmac("sha256", "whsec_secret").update(text).digest("hex"));
});
