import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useSubmit } from "./useSubmit";

afterEach(cleanup);

function Form({ run }: { run: () => Promise<void> }) {
  const submit = useSubmit([], run, () => undefined);
  return (
    <form {...submit.form} aria-label="form">
      {submit.busy ? "busy" : "free"}
    </form>
  );
}

test("a form that is sent twice in a moment sends once, and again when it is done", async () => {
  let finish = () => undefined as void;
  const run = vi.fn(() => new Promise<void>((done) => (finish = done)));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Form run={run} />
    </QueryClientProvider>,
  );
  const form = screen.getByRole("form");
  act(() => {
    for (let i = 0; i < 2; i++) form.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  });
  await waitFor(() => expect(form.textContent).toBe("busy"));
  fireEvent.submit(form);
  expect(run).toHaveBeenCalledTimes(1);
  finish();
  await waitFor(() => expect(form.textContent).toBe("free"));
  fireEvent.submit(form);
  await waitFor(() => expect(run).toHaveBeenCalledTimes(2));
});
