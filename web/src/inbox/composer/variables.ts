const placeholder = /\{\{\s*([\w.\- ]+?)\s*\}\}/gu;

export interface Known {
  contact: string | null;
  agent: string;
}

const firstName = (name: string) => name.trim().split(/\s+/u)[0] ?? "";

/** What is known by itself. A name that is not known is asked for like any other. */
function lookUp(name: string, known: Known): string | undefined {
  switch (name) {
    case "contact.name":
      return known.contact ?? undefined;
    case "contact.first_name":
      return known.contact === null ? undefined : firstName(known.contact);
    case "agent.name":
      return known.agent;
    case "agent.first_name":
      return firstName(known.agent);
    default:
      return undefined;
  }
}

/** The names in a canned reply that somebody has to fill in, each once, in their order. */
export function asked(body: string, known: Known): string[] {
  const names = [...body.matchAll(placeholder)].map((m) => m[1] ?? "");
  return [...new Set(names)].filter((name) => lookUp(name, known) === undefined);
}

/** The reply with its names replaced. What has no answer stays as it is. */
export function fill(body: string, known: Known, answers: Record<string, string> = {}): string {
  return body.replace(placeholder, (whole, name: string) => lookUp(name, known) ?? (answers[name] || whole));
}
