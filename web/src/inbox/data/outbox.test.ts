import { expect, it, vi } from "vitest";
import { ApiError } from "../../api/client";
import type { Message } from "../../api/types";
import { Outbox, type Outgoing, type Post } from "./outbox";

const entry = (key: string, more: Partial<Outgoing> = {}): Outgoing => ({
  key,
  conversation: "cnv_1",
  number: "100",
  body: { messaging_product: "chat", to: "+1", type: "text", text: { body: key } },
  createdAt: new Date(0).toISOString(),
  state: "waiting",
  ...more,
});

const offline = () => new ApiError(0, "offline", "The server cannot be reached.");
const made = (key: string) => ({ id: `msg_${key}` }) as Message;

interface Faked {
  upload?: Post["upload"];
  /** A colleague's reply that the writer of an entry has not seen. */
  replied?: (entry: Outgoing) => Message | Error | null;
}

/** An outbox whose posts are answered by a list of answers, and which keeps a log of what it sent. */
function outbox(answers: (Error | "ok")[], { upload, replied = () => null }: Faked = {}) {
  const log: string[] = [];
  let time = 0;
  const post: Post = {
    upload: upload ?? (() => Promise.resolve("med_1")),
    send: (e) => {
      log.push(`${e.key} ${JSON.stringify(e.body[e.body.type])}`);
      const answer = answers.shift() ?? "ok";
      return answer === "ok" ? Promise.resolve(made(e.key)) : Promise.reject(answer);
    },
    replyMeanwhile: (e) => {
      const answer = replied(e);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  const box = new Outbox({
    post,
    stuck: (e) => log.push(`${e.key} is stuck`),
    now: () => time,
    pause: (ms) => {
      time += ms;
      log.push(`pause ${ms}`);
      return Promise.resolve();
    },
  });
  const settled = () =>
    new Promise<void>((done) => {
      const look = () => {
        if (box.all().every((e) => e.state !== "waiting")) {
          leave();
          done();
        }
      };
      const leave = box.watch(look);
      look();
    });
  return { box, log, settled };
}

it("tries again with the same key until it arrives", async () => {
  const { box, log, settled } = outbox([
    offline(),
    new ApiError(503, "service_unavailable", "", undefined, undefined, 3),
    "ok",
  ]);
  box.add(entry("a"));
  await settled();
  expect(log).toEqual(['a {"body":"a"}', "pause 1000", 'a {"body":"a"}', "pause 3000", 'a {"body":"a"}']);
  expect(box.all()[0]).toMatchObject({ state: "sent", made: { id: "msg_a" } });
});

it("keeps the order of a conversation, also while the first one waits", async () => {
  const { box, log, settled } = outbox([offline(), "ok", "ok"]);
  box.add(entry("a"), entry("b"));
  await settled();
  expect(log.filter((l) => !l.startsWith("pause")).map((l) => l[0])).toEqual(["a", "a", "b"]);
});

it("does not try again what is refused, and goes on with the next", async () => {
  const { box, settled } = outbox([new ApiError(422, "consent_required", "No consent."), "ok"]);
  box.add(entry("a"), entry("b"));
  await settled();
  expect(box.all().map((e) => e.state)).toEqual(["failed", "sent"]);
  expect(box.all()[0]?.error).toEqual({ code: "consent_required", message: "No consent." });
});

it("gives up after two minutes, and a retry sends the same key", async () => {
  const { box, log, settled } = outbox(Array<Error>(14).fill(offline()));
  box.add(entry("a"));
  await settled();
  expect(box.all()[0]?.state).toBe("failed");
  log.length = 0;
  box.retry("a", undefined);
  await settled();
  expect(box.all()[0]?.state).toBe("sent");
  expect(log.every((l) => l.startsWith("a ") || l.startsWith("pause"))).toBe(true);
});

it("does not ask about a note, however late it is", async () => {
  const reply = { id: "msg_reply" } as Message;
  const { box, log, settled } = outbox([offline(), "ok"], { replied: () => reply });
  box.add(entry("a", { mentions: [] }));
  await settled();
  expect(log).toEqual(['a {"body":"a"}', "pause 1000", 'a {"body":"a"}']);
  expect(box.all()[0]?.state).toBe("sent");
});

it("asks before it sends late what a colleague has answered meanwhile", async () => {
  const reply = made("budi");
  const { box, log, settled } = outbox([offline(), offline()], { replied: (e) => (e.seen === "9" ? null : reply) });
  box.add(entry("a", { seen: "8" }), entry("b", { seen: "8" }));
  await settled();
  expect(log.slice(0, 3)).toEqual(['a {"body":"a"}', "pause 1000", "a is stuck"]);
  expect(box.all().map((e) => e.state)).toEqual(["held", "held"]);
  expect(box.all()[0]?.reply).toBe(reply);
  log.length = 0;
  box.retry("a", "9");
  await settled();
  expect(log).toEqual(['a {"body":"a"}']);
  expect(box.all().map((e) => e.state)).toEqual(["sent", "held"]);
});

it("does not ask about what goes out at once", async () => {
  const { box, settled } = outbox([], { replied: () => made("budi") });
  box.add(entry("a"));
  await settled();
  expect(box.all()[0]?.state).toBe("sent");
});

it("does not send before it could look, and does where it may not look", async () => {
  const looks = [offline(), new ApiError(404, "resource_not_found", "")];
  const { box, log, settled } = outbox([offline()], { replied: () => looks.shift() ?? null });
  box.add(entry("a"));
  await settled();
  expect(log).toEqual(['a {"body":"a"}', "pause 1000", "pause 2000", 'a {"body":"a"}']);
  expect(box.all()[0]?.state).toBe("sent");
});

it("uploads a file and sends what the library calls it", async () => {
  const shares: (number | undefined)[] = [];
  const upload: Post["upload"] = (_e, progress) => {
    progress(0.5);
    return Promise.resolve("med_7");
  };
  const { box, log, settled } = outbox([], { upload });
  box.watch(() => shares.push(box.all()[0]?.progress));
  const body = { messaging_product: "chat" as const, to: "+1", type: "image" as const, image: { caption: "x" } };
  box.add(entry("a", { body, file: new File(["x"], "x.png") }));
  await settled();
  expect(log).toEqual(['a {"caption":"x","id":"med_7"}']);
  expect(shares).toContain(0.5);
});

it("forgets what has come back in the thread, and what was discarded", async () => {
  const { box, settled } = outbox([]);
  box.add(entry("a"), entry("b"));
  await settled();
  box.settle(new Set(["msg_a"]));
  expect(box.all().map((e) => e.key)).toEqual(["b"]);
  box.discard("b");
  expect(box.all()).toEqual([]);
});

it("leaves alone what another tab has discarded, and shows what was sent here until the thread has it", async () => {
  const { box, settled } = outbox([new ApiError(422, "consent_required", "No consent."), "ok"]);
  box.add(entry("a"), entry("b"));
  await settled();
  box.leave("a");
  box.leave("b");
  expect(box.all().map((e) => e.key)).toEqual(["b"]);
});

it("takes a message back while its file is on its way: the upload ends, nothing is sent, and undo begins anew", async () => {
  let ended = 0;
  const uploads: ((id: string) => void)[] = [];
  const upload: Post["upload"] = (_e, _progress, signal) =>
    new Promise((done, fail) => {
      uploads.push(done);
      signal.addEventListener("abort", () => fail(offline()));
      signal.addEventListener("abort", () => ended++);
    });
  const { box, log, settled } = outbox([], { upload });
  const picture = entry("a", { file: new File(["x"], "x.png") });
  box.add(picture, entry("b"));
  box.discard("a");
  await settled();
  expect([ended, log]).toEqual([1, ['b {"body":"b"}']]);
  box.add(picture);
  await vi.waitFor(() => expect(uploads).toHaveLength(2));
  uploads[1]?.("med_2");
  await settled();
  expect(log[1]).toBe('a {"body":"a","id":"med_2"}');
});

it("does not send what was taken back just when its file had arrived", async () => {
  let arrive: (id: string) => void = () => undefined;
  const { box, log, settled } = outbox([], { upload: () => new Promise((done) => (arrive = done)) });
  box.add(entry("a", { file: new File(["x"], "x.png") }), entry("b"));
  arrive("med_1");
  box.discard("a");
  await settled();
  expect(log).toEqual(['b {"body":"b"}']);
});
