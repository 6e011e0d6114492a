const browsers: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

const first = (list: [RegExp, string][], client: string) => list.find(([pattern]) => pattern.test(client))?.[1];

/** "Firefox, Linux" for what a browser calls itself; other programs as they do. */
export function clientName(client: string): string {
  const known = [first(browsers, client), first(systems, client)].filter(Boolean).join(", ");
  return known || client.slice(0, 60) || "?";
}
