import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import { Store } from "../ui/store";
import { hearClock } from "./clock";

const base = "/app/api";

export type Query = Record<string, string | number | boolean | undefined | null>;

export interface Page<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

/** An answer that is no success, or no answer at all (code "offline"). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId?: string,
    readonly param?: string,
    /** After how many seconds the server asks to try again. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Whether an error says that what was asked for by its id is not there, not for this person to see, or cannot be an id. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.code === "invalid_field_value");

interface Options {
  query?: Query;
  body?: unknown;
  /** Makes repeats of this call one: see idempotencyKey. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** A 401 here is the answer, not the end of the session: the sign-in page itself. */
  open?: boolean;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** A key for one intention of the user. Every retry of the same intention sends the same key. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** The address of an operation, for example as the source of an image. */
export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return base + path + (text ? `?${text}` : "");
}

/** Where to go to sign in, and to come back from afterwards. */
export function loginAddress(location: Pick<Location, "pathname" | "search">): string {
  const here = location.pathname + location.search;
  return here === "/" ? "/login" : `/login?return=${encodeURIComponent(here)}`;
}

/** Whether the session has ended and the page stays: who would lose what they have written may choose that. */
export const signedOut = new Store(false);
let leaving = false;
const moment = 1000;

/** Leaves for the sign-in page, once: whoever stays is not asked again with each request that is refused. */
export function toLogin(): void {
  if (location.pathname === "/login" || leaving) return;
  leaving = true;
  setTimeout(() => signedOut.set(leaving), moment);
  location.assign(loginAddress(location));
}

/** Somebody has signed in again, in another tab. */
export function isSignedIn(): void {
  leaving = false;
  signedOut.set(false);
}

/** A question can be asked again after this long. A change is waited for until the server itself would have given up. */
const patience = { question: 30_000, change: 65_000 };

/** A file takes as long as it takes; everything else ends in time, so that nobody waits for an answer that was lost. */
function limitOf(method: Method, { body, signal }: Options): AbortSignal | undefined {
  if (body instanceof Blob) return signal;
  const limit = AbortSignal.timeout(method === "GET" ? patience.question : patience.change);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

function unanswered(method: Method): ApiError {
  return new ApiError(0, method === "GET" ? "timeout" : "unanswered", "The server did not answer in time.");
}

async function call(method: Method, path: string, options: Options): Promise<unknown> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const file = options.body instanceof Blob ? options.body : undefined;
  if (method !== "GET") headers["Content-Type"] = file ? file.type : "application/json";
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  const signal = limitOf(method, options);
  let response: Response;
  let body: string;
  try {
    response = await fetch(address(path, options.query), {
      method,
      headers,
      body: method === "GET" || options.body === undefined ? undefined : (file ?? JSON.stringify(options.body)),
      signal,
      credentials: "same-origin",
    });
    // An answer that breaks off is none: what came of it must not pass for the whole.
    body = await response.text();
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    if (signal?.aborted) throw unanswered(method);
    throw new ApiError(0, "offline", "The server cannot be reached.");
  }
  hearClock(response.headers.get("Date"));
  const answer = parsed(body);
  if (response.ok) {
    isSignedIn();
    return answer;
  }
  const error = errorOf(response, answer);
  if (error.status === 401 && !options.open) toLogin();
  throw error;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // such as the error page of a proxy
  }
}

function errorOf(response: Response, answer: unknown): ApiError {
  const { error, request_id } = (answer ?? {}) as {
    error?: { code?: string; message?: string; param?: string; request_id?: string };
    request_id?: string;
  };
  const retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  return new ApiError(
    response.status,
    error?.code ?? `http_${response.status}`,
    error?.message ?? `The server answered with status ${response.status}.`,
    error?.request_id ?? request_id ?? response.headers.get("X-Request-Id") ?? undefined,
    error?.param,
    retryAfter,
  );
}

/** One thing. */
export async function get<T>(path: string, options: Options = {}): Promise<T> {
  return ((await call("GET", path, options)) as { data: T }).data;
}

/** One page of a list. */
export async function list<T>(path: string, options: Options = {}): Promise<Page<T>> {
  return (await call("GET", path, options)) as Page<T>;
}

/** A whole list, page by page. For lists that are short by nature: people, labels, teams. */
export async function all<T>(path: string, options: Options = {}): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list<T>(path, { ...options, query: { ...options.query, cursor } });
    found.push(...page.data);
    cursor = page.has_more ? page.next_cursor : null;
  } while (cursor);
  return found;
}

/** Changes something. A body that is a file goes as it is. */
export async function send<T>(
  method: Exclude<Method, "GET">,
  path: string,
  body?: unknown,
  options: Omit<Options, "body"> = {},
): Promise<T> {
  return ((await call(method, path, { ...options, body: body ?? {} })) as { data: T }).data;
}

/** Options for useInfiniteQuery over a list with cursors. */
export function pages<T>(queryKey: QueryKey, path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => list<T>(path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<T>) => (last.has_more ? last.next_cursor : null),
  });
}
