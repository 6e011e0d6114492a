import { MantineProvider } from "@mantine/core";
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Conversation, Message } from "../../../api/types";
import { MessageContent } from "./MessageContent";

afterEach(cleanup);

const script = '<img src=x onerror="alert(1)"><script>alert(1)</script>';
const conversation = { id: "cnv_1", number: { phone_number_id: "100" } } as Conversation;

function shown(message: Partial<Message>): HTMLElement {
  const made = { id: "msg_1", direction: "inbound", reactions: [], media: null, ...message } as Message;
  return render(
    <MantineProvider>
      <MessageContent message={made} conversation={conversation} />
    </MantineProvider>,
  ).container;
}

const kinds: [string, Partial<Message>][] = [
  ["text", { type: "text", text: { body: script } }],
  ["image", { type: "image", image: { caption: script } }],
  ["video", { type: "video", video: { caption: script } }],
  ["document", { type: "document", document: { caption: script, filename: script } }],
  ["location", { type: "location", location: { latitude: 1, longitude: 2, name: script, address: script } }],
  ["contacts", { type: "contacts", contacts: [{ name: { formatted_name: script }, phones: [{ phone: script }] }] }],
  [
    "buttons",
    {
      type: "interactive",
      interactive: { body: { text: script }, action: { buttons: [{ reply: { title: script } }] } },
    },
  ],
  ["choice", { type: "interactive", interactive: { list_reply: { title: script, description: script } } }],
  [
    "order",
    {
      type: "unsupported",
      order: {
        text: script,
        product_items: [{ product_retailer_id: script, quantity: 1, item_price: 2, currency: script }],
      },
    },
  ],
  [
    "template",
    {
      type: "template",
      preview: {
        header: { format: "TEXT", text: script },
        body: script,
        footer: script,
        buttons: [{ type: "URL", text: script, url: "javascript:alert(1)" }],
      },
    },
  ],
  ["unsupported", { type: "unsupported", unsupported: { type: script } }],
];

it.each(kinds)("shows a script in %s as the text that it is", (_kind, message) => {
  const container = shown(message);
  expect(container.querySelector("script, [onerror]")).toBeNull();
  expect(container.querySelector('[href^="javascript"]')).toBeNull();
  expect(container.textContent).toContain("alert(1)");
});

it("stands contents that lack everything", () => {
  const types = [
    "text",
    "image",
    "video",
    "audio",
    "document",
    "location",
    "contacts",
    "interactive",
    "button",
    "template",
    "reaction",
    "unsupported",
  ] as const;
  for (const type of types) expect(() => shown({ type })).not.toThrow();
});

it("takes a picture's file from the message, through the session", () => {
  expect(shown({ type: "image" }).querySelector("img")?.getAttribute("src")).toBe("/app/api/100/messages/msg_1/media");
});
