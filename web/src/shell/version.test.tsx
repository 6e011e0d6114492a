import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Hint } from "../api/types";
import { isMissingPart, useVersion } from "./version";
import { VersionBar } from "./VersionBar";

afterEach(cleanup);

const server = vi.hoisted(() => ({ version: "1.0", hint: undefined as ((hint: Hint) => void) | undefined }));
vi.mock("../api/queries", () => ({ useMe: () => ({ version: server.version }) }));
vi.mock("../api/stream", () => ({ useHints: (listener: (hint: Hint) => void) => (server.hint = listener) }));

function Page() {
  useVersion();
  return <VersionBar />;
}

beforeEach(() => {
  server.version = "1.0";
});

it("says that the server has become another one than the page came from", () => {
  const page = render(<Page />);
  act(() => server.hint?.({ kind: "hello", version: "1.0" }));
  expect(screen.queryByRole("button", { name: "Reload" })).toBeNull();
  server.version = "1.1"; // what is known of the server is fetched anew, too
  page.rerender(<Page />);
  act(() => server.hint?.({ kind: "hello", version: "1.1" }));
  expect(screen.getByRole("button", { name: "Reload" })).not.toBeNull();
  expect(screen.getByText(/A new version is ready/u)).not.toBeNull();
  page.unmount();
});

it("knows a part of the page that is gone", () => {
  expect(isMissingPart(new TypeError("Failed to fetch dynamically imported module: /assets/x.js"))).toBe(true);
  expect(isMissingPart(new Error("Unable to preload CSS for /assets/x.css"))).toBe(true);
  expect(isMissingPart(new Error("undefined is not a function"))).toBe(false);
});
