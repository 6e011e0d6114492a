import { expect, it } from "vitest";
import { ApiError } from "../../api/client";
import { DraftPost, type Known } from "./draftPost";

/** A server whose answers the test gives. */
function server() {
  const asked: { body: string; answer: (error?: Error) => void }[] = [];
  const put = (_conversation: string, _kind: string, body: string) =>
    new Promise<Known>((done, fail) =>
      asked.push({ body, answer: (error) => (error ? fail(error) : done({ body, updated_at: `after ${asked.length}` })) }),
    );
  return { asked, post: new DraftPost({ put, pause: () => Promise.resolve() }) };
}

const offline = new ApiError(0, "offline", "");
const settle = () => new Promise((done) => setTimeout(done));

it("sends one after the other, and of what was written meanwhile only the latest", async () => {
  const { asked, post } = server();
  void post.keep("cnv_1", "reply", "H");
  void post.keep("cnv_1", "reply", "Hi");
  void post.keep("cnv_1", "reply", "");
  void post.keep("cnv_1", "note", "Ask Uma");
  expect(asked.map((a) => a.body)).toEqual(["H", "Ask Uma"]);
  asked[0]?.answer();
  await settle();
  expect(asked.map((a) => a.body)).toEqual(["H", "Ask Uma", ""]);
  expect(post.known("cnv_1", "reply")).toEqual({ body: "H", updated_at: "after 2" });
  expect(post.known("cnv_1", "note")).toBeUndefined();
});

it("goes on until the server has heard that a draft is gone", async () => {
  const { asked, post } = server();
  const kept = post.keep("cnv_1", "reply", "");
  asked[0]?.answer(offline);
  await settle();
  expect(post.owes("cnv_1", "reply")).toBe(true);
  asked[1]?.answer();
  await kept;
  expect(post.owes("cnv_1", "reply")).toBe(false);
  expect(asked).toHaveLength(2);
});

it("gives up what the server refuses", async () => {
  const { asked, post } = server();
  const kept = post.keep("cnv_1", "reply", "Hi");
  asked[0]?.answer(new ApiError(404, "resource_not_found", ""));
  await kept;
  expect(asked).toHaveLength(1);
});
