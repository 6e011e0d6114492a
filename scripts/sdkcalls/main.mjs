// Starts a simulator, makes every call of both clients to it, prints the results, and fails if one is not as
// expected.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Recorder } from "./recorder.mjs";
import * as kapso from "./kapso.mjs";
import * as whatsappAPI from "./whatsapp-api-js.mjs";

const [program, record] = process.argv.slice(2);
const world = { number: "100200300400500", waba: "200100200300400", fresh: "100200300400501", person: "+4915510000001", secret: "app-secret" };

// listen collects the simulator's callbacks.
async function listen(received) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    received.push({ body, signature: request.headers["x-hub-signature-256"] });
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

// start runs a simulator, and finds its address.
async function start(callbackURL) {
  const simulator = spawn(program, ["simulate", "--listen=127.0.0.1:0", "--callback-url", callbackURL, "--app-secret", world.secret, "--verify-token=v", "--log-level=error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const text of simulator.stdout) {
    const found = /Base URL +(http:\S+)\/v/.exec(String(text));
    if (found) return { simulator, origin: found[1] };
  }
  throw new Error("the simulator did not start");
}

async function control(recorder, path, body, method = "POST") {
  const response = await recorder.fetch(`${recorder.origin}/_sim/${path}`, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

// prepare makes the numbers, and makes a person write, which opens the window.
async function prepare(recorder) {
  recorder.as("before");
  await control(recorder, "reset", {});
  await control(recorder, "settings", { sent: 0, delivered: 0, read: 0, played: 0 }, "PATCH");
  await control(recorder, "numbers", { id: world.number, waba_id: world.waba, phone: "+4930555000" });
  await control(recorder, "numbers", { id: world.fresh, waba_id: world.waba, phone: "+4930555001", status: "PENDING", unverified: true });
  const { messages } = await control(recorder, "inbound", { phone_number_id: world.number, from: world.person, text: "Hello?" });
  const hidden = { phone: "+4915510000003", user_id: "DE.123abc456def", username: "bea.b", hide_phone: true };
  await control(recorder, "inbound", { phone_number_id: world.number, from: hidden, text: "Hello!" });
  return { id: messages[0].id, user: hidden.user_id };
}

// run makes the calls of one client, in order, because later ones use the results of earlier ones.
async function run({ client, calls }, origin) {
  const recorder = new Recorder(origin);
  const wrote = await prepare(recorder);
  const rows = [];
  for (const [name, call] of Object.entries(calls({ ...world, origin, wrote, fetch: recorder.fetch }))) {
    recorder.as(name);
    const before = recorder.calls.length;
    let failure = "";
    await call().catch((error) => (failure = error.message));
    const made = recorder.calls.slice(before);
    const refused = name.endsWith("refused as upstream");
    const fine = made.length > 0 && made.every((c) => (refused ? c.code === 2500 : c.status === 200));
    rows.push({ client, call: name, requests: made.length, status: made.at(-1)?.status, code: made.at(-1)?.code ?? "", fine, failure: fine ? "" : failure });
  }
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${client}/package.json`, import.meta.url)));
  return { rows, recorded: { client, version, calls: recorder.calls } };
}

// callbacksOf waits until the simulator has called back, and lets the client read the callbacks.
async function callbacksOf({ client, callbacks }, origin, received) {
  for (let waiting = 1; waiting > 0; ) ({ callbacks_waiting: waiting } = await (await fetch(`${origin}/_sim/counters`)).json());
  const counts = await callbacks(received.splice(0), world);
  return Object.entries(counts).map(([what, n]) => ({ client, call: `callbacks: ${what}`, requests: n, status: "", code: "", fine: n > 0, failure: n > 0 ? "" : "none was understood" }));
}

const received = [];
const server = await listen(received);
const { simulator, origin } = await start(`http://127.0.0.1:${server.address().port}/`);
const recordings = [];
let failed = 0;
try {
  for (const sdk of [whatsappAPI, kapso]) {
    const { rows, recorded } = await run(sdk, origin);
    rows.push(...(await callbacksOf(sdk, origin, received)));
    recordings.push(recorded);
    for (const row of rows) {
      if (!row.fine) failed++;
      console.log([row.fine ? "ok  " : "FAIL", row.client.padEnd(26), row.call.padEnd(42), row.requests, row.status, row.code, row.failure].join(" ").trimEnd());
    }
  }
} finally {
  simulator.kill();
  server.close();
  server.closeAllConnections();
}
if (failed > 0) {
  console.log(`${failed} calls failed`);
  process.exit(1);
}
console.log("all calls are answered");
if (record) {
  const lines = recordings.map(({ client, version, calls }) => `{"client": "${client}", "version": "${version}", "calls": [\n${calls.map((c) => JSON.stringify(c)).join(",\n")}\n]}`);
  writeFileSync(record, `[\n${lines.join(",\n")}\n]\n`);
}
