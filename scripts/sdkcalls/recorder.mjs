// A recorder stands between a client and the simulator: it sends requests to the simulator whatever
// host they were meant for, and records them so that they can be sent again.

const meant = "https://graph.facebook.com";

export class Recorder {
  calls = [];
  #seen = []; // values of earlier answers, and their places
  #name = "";

  constructor(origin) {
    this.origin = origin;
    this.fetch = this.fetch.bind(this);
  }

  // as sets the name of the calls that follow.
  as(name) {
    this.#name = name;
  }

  async fetch(url, init = {}) {
    const target = String(url).replace(meant, this.origin);
    const request = new Request(target, init);
    const type = request.headers.get("content-type") ?? "";
    const body = Buffer.from(await request.clone().arrayBuffer()).toString("utf8");
    const response = await fetch(request);
    const answer = await readJSON(response.clone());
    const boundary = /boundary=(.*)/.exec(type)?.[1];
    const plain = (text) => this.#refer(boundary ? text.replaceAll(boundary, "boundary") : text);
    this.calls.push({
      name: this.#name, method: request.method, path: plain(request.url.replace(this.origin, "")),
      ...(type && { type: plain(type) }), ...(body && { body: plain(body) }),
      status: response.status, ...(answer?.error && { code: answer.error.code }), answer: paths(answer),
    });
    this.#remember(answer, `${this.calls.length - 1}`, request.url + body);
    return response;
  }

  // #refer replaces a value from an earlier answer with its place: {{3.messages.0.id}}.
  #refer(text) {
    for (const { value, place } of this.#seen) text = text.replaceAll(value, `{{${place}}}`);
    return text;
  }

  // #remember records the values that the simulator made up, which are not in the request.
  #remember(value, place, asked) {
    if (value && typeof value === "object") {
      for (const [key, item] of Object.entries(value)) this.#remember(item, `${place}.${key}`, asked);
    } else if (typeof value === "string" && /\.(id|code|url)$/.test(place) && !asked.includes(value)) {
      value = value.replace(this.origin, "");
      if (!this.#seen.some((s) => s.value === value)) this.#seen.push({ value, place });
      this.#seen.sort((a, b) => b.value.length - a.value.length);
    }
  }
}

async function readJSON(response) {
  if (!response.headers.get("content-type")?.includes("json")) return null;
  return response.json();
}

// paths lists the places where the answer has values, because clients rely on those.
function paths(value, place = "") {
  if (!value || typeof value !== "object") return place ? [place] : [];
  return Object.entries(value).flatMap(([key, item]) => (key === "fbtrace_id" ? [] : paths(item, place ? `${place}.${key}` : key)));
}
