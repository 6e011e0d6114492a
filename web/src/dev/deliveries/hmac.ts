const bytes = (text: string) => new TextEncoder().encode(text);

/** Whether this page can compute signatures: browsers allow it over TLS and on the machine itself. */
export function canSign(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** The HMAC-SHA256 of a text, in hex. */
export async function hmac(secret: string, text: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(text)));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
