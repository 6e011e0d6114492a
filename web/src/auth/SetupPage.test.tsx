import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { SetupForm } from "./SetupPage";

afterEach(cleanup);

it("takes the token from an address that is pasted into the open page", () => {
  window.location.hash = "";
  render(<QueryClientProvider client={new QueryClient()}><MantineProvider><SetupForm /></MantineProvider></QueryClientProvider>);
  const token = () => screen.getAllByRole<HTMLInputElement>("textbox")[0]?.value;
  expect(token()).toBe("");
  act(() => {
    window.location.hash = "setup-token";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
  expect(token()).toBe("setup-token");
});
