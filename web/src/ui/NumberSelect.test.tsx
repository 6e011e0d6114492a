import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, configure, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useNumber } from "../api/numbers";
import { meQuery } from "../api/queries";
import type { Me, MyNumber } from "../api/types";
import { NumberSelect } from "./NumberSelect";

configure({ asyncUtilTimeout: 20_000 });
const patient = { timeout: 30_000 };

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const number = (id: string, name: string): MyNumber => ({ phone_number_id: id, name, phone_number: `+62812${id}`, team_id: "team_1", status: "connected", customer_id: null });
const near = number("1000001", "Near");
const far = number("2000002", "Far away");

/** What the server was asked for. */
let asked: string[];

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (address: string) => {
    const { pathname, searchParams } = new URL(address, "http://localhost");
    const path = pathname.replace("/app/api", "");
    asked.push(path + (searchParams.get("q") ?? ""));
    if (path === "/numbers") {
      const data = [far].filter((n) => n.name.toLowerCase().includes(searchParams.get("q") ?? ""));
      return Promise.resolve(Response.json({ data, has_more: false, next_cursor: null }));
    }
    if (path === `/${far.phone_number_id}/number`) return Promise.resolve(Response.json({ data: far }));
    return Promise.resolve(Response.json({ error: { code: "resource_not_found", message: "No such business number." } }, { status: 404 }));
  });
});

function Field({ begin, any, native }: { begin?: string; any?: string; native?: boolean }) {
  const [value, setValue] = useState(begin);
  const { number: found } = useNumber(value);
  return (
    <>
      <NumberSelect label="Number" {...{ value, any, native }} onChange={setValue} />
      <output>{`${value} is ${found?.name}`}</output>
    </>
  );
}

function show(field: React.ReactNode, more: boolean) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, { numbers: [near], more_numbers: more } as Me);
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">{field}</MantineProvider>
    </QueryClientProvider>,
  );
}

const field = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Number" });
/** As with a keyboard, which a field has while it has the focus. */
function type(value: string) {
  act(() => field().focus());
  fireEvent.change(field(), { target: { value } });
}

const says = (text: string) => waitFor(() => expect(screen.getByRole("status").textContent).toBe(text));

test("all numbers are offered at once where the page knows them", () => {
  show(<Field any="All numbers" native />, false);
  expect([...(field() as unknown as HTMLSelectElement).options].map((o) => o.text)).toEqual(["All numbers", "Near"]);
  expect(asked).toEqual([]);
});

test("a number that the page does not know is found by typing, and keeps its name", patient, async () => {
  show(<Field begin={near.phone_number_id} native />, true);
  await says("1000001 is Near");
  expect(field().value).toBe("Near");
  fireEvent.click(field());
  expect(screen.getAllByRole("option").map((o) => o.textContent)).toEqual(["Near +62 812 100 0001"]);
  type("far");
  expect(screen.queryByRole("option")).toBeNull();
  expect(screen.getByText("Loading…")).toBeDefined();
  fireEvent.click(await screen.findByRole("option"));
  await says("2000002 is Far away");
  expect(field().value).toBe("Far away");
  expect(asked).toEqual(["/numbersfar"]); // the list has said what it is called
});

test("where nothing is found the field says so, and goes back to what was chosen", patient, async () => {
  show(<Field begin={near.phone_number_id} />, true);
  fireEvent.click(field());
  type("nobody");
  await screen.findByText("Nothing found");
  fireEvent.blur(field());
  expect(field().value).toBe("Near");
  await says("1000001 is Near");
});

test("the name of a chosen number is fetched, and no other number takes the place of one that is gone", patient, async () => {
  show(<Field begin={far.phone_number_id} any="Any" />, true);
  await says("2000002 is Far away");
  await waitFor(() => expect(field().value).toBe("Far away"));
  cleanup();
  show(<Field begin="3000003" any="Any" />, true);
  await waitFor(() => expect(field().value).toBe("3000003"));
  await says("3000003 is undefined");
});
