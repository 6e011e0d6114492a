import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { Conversation, ConversationFilter } from "../../api/types";
import { conversationsQuery, showChange } from "./conversations";

const conversation = (id: string, status: Conversation["status"]) => ({ id, status }) as Conversation;

/** The rows of a list after a conversation that it has was given a status. */
function after(filter: ConversationFilter, before: Conversation["status"], status: Conversation["status"]): string {
  const client = new QueryClient();
  const { queryKey } = conversationsQuery(filter);
  const data = [conversation("a", "open"), conversation("b", before), conversation("c", "open")];
  client.setQueryData(queryKey, { pages: [{ data, next: undefined }], pageParams: [undefined] } as never);
  showChange(client, "b", (c) => ({ ...c, status }));
  const lists = client.getQueryData<{ pages: { data: Conversation[] }[] }>(queryKey);
  return lists?.pages.flatMap((page) => page.data.map((c) => `${c.id} ${c.status}`)).join(", ") ?? "";
}

test.each<[ConversationFilter, Conversation["status"], Conversation["status"], boolean]>([
  [{ view: "all" }, "open", "resolved", false],
  [{ view: "all" }, "open", "pending", false],
  [{ view: "mine", status: "open" }, "open", "resolved", false],
  [{ view: "mine", status: "resolved" }, "resolved", "open", false],
  [{ view: "all", status: "any" }, "open", "resolved", true],
  [{ view: "snoozed" }, "pending", "open", false],
  [{ view: "snoozed", status: "open" }, "pending", "pending", true],
  [{ view: "all" }, "open", "open", true],
  [{ view: "all" }, "resolved", "resolved", true], // it is there until the server says otherwise
])("in %o what was %s and is %s stays: %s", (filter, before, status, stays) => {
  expect(after(filter, before, status)).toBe(stays ? `a open, b ${status}, c open` : "a open, c open");
});

test("what the server did not hear of is taken back, each row in its place", () => {
  const client = new QueryClient();
  const { queryKey } = conversationsQuery({ view: "all" });
  const data = ["a", "b", "c"].map((id) => conversation(id, "open"));
  client.setQueryData(queryKey, { pages: [{ data, next: undefined }], pageParams: [undefined] } as never);
  client.setQueryData(["conversation", "b"], data[1]);
  const rows = () =>
    client.getQueryData<{ pages: { data: Conversation[] }[] }>(queryKey)?.pages.flatMap((page) => page.data.map((c) => `${c.id} ${c.status}`)).join(", ");
  const resolve = (id: string) => showChange(client, id, (c) => ({ ...c, status: "resolved" }));
  const [b, c] = [resolve("b"), resolve("c")];
  expect(rows()).toBe("a open");
  c();
  b();
  expect(rows()).toBe("a open, b open, c open");
  expect(client.getQueryData<Conversation>(["conversation", "b"])?.status).toBe("open");
});
