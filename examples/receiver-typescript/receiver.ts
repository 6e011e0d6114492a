// A receiver of webhooks: it checks the signature and prints one line for each event. It needs nothing but
// Node 22.18, which runs TypeScript as it is.
//
//   parley listen --forward-to localhost:3000/webhooks      # prints a signing secret
//   WEBHOOK_SECRET=whsec_… node examples/receiver-typescript/receiver.ts

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";

const secret = process.env.WEBHOOK_SECRET ?? "";
const [host, port] = (process.env.LISTEN ?? "localhost:3000").split(":");

// What message.received carries. Whoever keeps their number to themselves has no `from`, but a `from_user_id`.
interface Received {
  entry: [{ changes: [{ value: { messages: [{ id: string; type: string; from?: string; from_user_id?: string; text?: { body: string } }] } }] }];
}

/** Tells whether the service signed these bytes, within the last five minutes. */
function genuine(header: string, body: Buffer): boolean {
  const parts = header.split(",").map((part) => part.split("="));
  const at = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const want = createHmac("sha256", secret).update(`${at}.`).update(body).digest();
  return parts.some(([name, value]) => {
    const given = Buffer.from(value ?? "", "hex");
    return name === "v1" && given.length === want.length && timingSafeEqual(given, want);
  });
}

function describe(type: string, body: Buffer): string {
  if (type !== "message.received") return "";
  const event = JSON.parse(body.toString()) as Received;
  const message = event.entry[0].changes[0].value.messages[0];
  const who = message.from ? `+${message.from}` : message.from_user_id;
  return `${who}: ${message.text?.body ?? message.type}`;
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const seen = new Set<string>(); // a real one keeps them: events can come more than once

createServer(async (request, response) => {
  const body = await read(request);
  if (!genuine(String(request.headers["x-svc-signature"] ?? ""), body)) {
    response.writeHead(400).end("the signature is not valid");
    return;
  }
  const type = String(request.headers["x-svc-event"]);
  const key = `${type} ${request.headers["x-svc-event-id"]}`;
  if (type === "message.status" || !seen.has(key)) console.log(type, describe(type, body)); // statuses of a message share an id
  seen.add(key);
  response.writeHead(200).end();
}).listen(Number(port), host, () => console.log("listening on", host, port));
