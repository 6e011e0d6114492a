import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { address, all, ApiError, get, idempotencyKey, isSignedIn, list, loginAddress, pages, send, signedOut } from "./client";

let answers: (Response | Error)[];
const calls: { url: string; init: RequestInit }[] = [];

function answer(status: number, body: unknown, headers: Record<string, string> = {}): void {
  answers.push(new Response(JSON.stringify(body), { status, headers }));
}

beforeEach(() => {
  answers = [];
  calls.length = 0;
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    calls.push({ url, init });
    const next = answers.shift() ?? new Error("no answer is left");
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  });
});
afterEach(() => vi.unstubAllGlobals());

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe("answers", () => {
  test("one thing comes out of its envelope", async () => {
    answer(200, { data: { id: "usr_1" }, request_id: "req_1" });
    expect(await get("/me")).toEqual({ id: "usr_1" });
    expect(calls[0]?.url).toBe("/app/api/me");
  });

  test("a page keeps its cursor", async () => {
    answer(200, { data: [1], has_more: true, next_cursor: "abc", request_id: "r" });
    expect(await list("/conversations")).toMatchObject({ data: [1], has_more: true, next_cursor: "abc" });
  });

  test("a whole list follows the cursors", async () => {
    answer(200, { data: [1, 2], has_more: true, next_cursor: "abc" });
    answer(200, { data: [3], has_more: false, next_cursor: null });
    expect(await all("/people", { query: { limit: 2 } })).toEqual([1, 2, 3]);
    expect(calls.map((call) => call.url)).toEqual(["/app/api/people?limit=2", "/app/api/people?limit=2&cursor=abc"]);
  });

  test("pages for an infinite query end with the last page", () => {
    const { getNextPageParam } = pages(["x"], "/x");
    const page = { data: [], has_more: true, next_cursor: "abc" };
    expect(getNextPageParam(page, [], null, [])).toBe("abc");
    expect(getNextPageParam({ ...page, has_more: false }, [], null, [])).toBeNull();
  });
});

describe("requests", () => {
  test("a write says that it is JSON, even without a body of its own", async () => {
    answer(200, { data: {} });
    await send("DELETE", "/session");
    expect(calls[0]?.init).toMatchObject({ method: "DELETE", body: "{}" });
    expect(calls[0]?.init.headers).toMatchObject({ "Content-Type": "application/json" });
  });

  test("the same key is sent for the same intention", async () => {
    const key = idempotencyKey();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(idempotencyKey()).not.toBe(key);
    answer(200, { data: {} });
    await send("POST", "/1/messages", { to: "+1" }, { idempotencyKey: key });
    expect(calls[0]?.init.headers).toMatchObject({ "Idempotency-Key": key });
  });

  test("what is not set is not in the address", () => {
    expect(address("/x", { a: "1 2", b: undefined, c: null, d: "", e: false })).toBe("/app/api/x?a=1+2&e=false");
  });
});

describe("errors", () => {
  test("have code, message, field and request", async () => {
    answer(400, { error: { code: "invalid_field_value", message: "Too short.", param: "password", request_id: "req_9" } });
    const error = await failure(send("POST", "/me/password", {}));
    expect(error).toMatchObject({ status: 400, code: "invalid_field_value", param: "password", requestId: "req_9" });
    expect(error.message).toBe("Too short.");
  });

  test("that are no JSON still say what happened", async () => {
    answers.push(new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { "Retry-After": "3" } }));
    expect(await failure(get("/me"))).toMatchObject({ status: 502, code: "http_502", retryAfter: 3 });
  });

  test("no answer at all is offline", async () => {
    answers.push(new TypeError("Failed to fetch"));
    expect(await failure(get("/me"))).toMatchObject({ status: 0, code: "offline" });
  });

  test("a call that was given up is no error of the network", async () => {
    const control = new AbortController();
    control.abort();
    answers.push(new DOMException("aborted", "AbortError"));
    await expect(get("/me", { signal: control.signal })).rejects.not.toBeInstanceOf(ApiError);
  });
});

describe("a session that has ended", () => {
  const assign = vi.fn();
  beforeEach(() => {
    assign.mockReset();
    isSignedIn();
    vi.stubGlobal("location", { pathname: "/inbox/mine", search: "?unread=true", assign });
  });

  test("leads to the sign-in page and back", async () => {
    answer(401, { error: { code: "not_signed_in", message: "Sign in." } });
    await failure(get("/me"));
    expect(assign).toHaveBeenCalledExactlyOnceWith("/login?return=%2Finbox%2Fmine%3Funread%3Dtrue");
  });

  test("leads there once, until somebody has signed in again", async () => {
    vi.useFakeTimers();
    const refuse = () => answer(401, { error: { code: "not_signed_in", message: "Sign in." } });
    refuse();
    await failure(get("/me"));
    refuse();
    await failure(get("/me"));
    expect(assign).toHaveBeenCalledOnce();
    expect(signedOut.get()).toBe(false); // the page goes, most often
    vi.advanceTimersByTime(2000);
    expect(signedOut.get()).toBe(true);
    answer(200, { data: {} });
    await get("/me");
    expect(signedOut.get()).toBe(false);
    refuse();
    await failure(get("/me"));
    expect(assign).toHaveBeenCalledTimes(2);
    isSignedIn();
    vi.useRealTimers();
  });

  test("is not what a wrong password means", async () => {
    answer(401, { error: { code: "invalid_credentials", message: "No." } });
    await failure(send("POST", "/session", {}, { open: true }));
    expect(assign).not.toHaveBeenCalled();
  });

  test("needs no address for the first page", () => {
    expect(loginAddress({ pathname: "/", search: "" })).toBe("/login");
  });
});

describe("answers that do not come", () => {
  /** A server that takes the request and says nothing, until the request is given up. */
  const silent = (_: string, { signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      const give = () => reject(signal?.reason as Error);
      if (signal?.aborted) give();
      else signal?.addEventListener("abort", give);
    });

  beforeEach(() => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort(new DOMException("too long", "TimeoutError")));
    vi.stubGlobal("fetch", silent);
  });

  test("a question can be asked again, a change has to be looked after", async () => {
    expect((await failure(get("/me"))).code).toBe("timeout");
    expect((await failure(send("POST", "/labels", { name: "x" }))).code).toBe("unanswered");
  });

  test("whoever cancels hears of that, not of the time", async () => {
    const end = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
    const asked = get("/me", { signal: end.signal });
    end.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  });

  test("a file may take long", async () => {
    const asked = send("POST", "/imports", new Blob(["x"], { type: "text/csv" }));
    expect(await Promise.race([asked, Promise.resolve("still going")])).toBe("still going");
  });
});

test("an answer that breaks off is as good as none", async () => {
  const body = new ReadableStream({ start: (control) => control.error(new TypeError("network error")) });
  answers.push(new Response(body, { status: 200 }));
  expect((await failure(get("/me"))).code).toBe("offline");
});
