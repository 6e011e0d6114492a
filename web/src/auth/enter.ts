/** Only an address of this site, and none that a browser would read as another's ("//host", "/\host"). */
export function safeReturn(address: string | undefined): string {
  return address && /^\/(?![/\\])/.test(address) && !address.startsWith("/login") ? address : "/inbox";
}

/** Goes on after signing in. The page is loaded anew, so that nothing of the person before stays in memory. */
export function enter(address?: string): void {
  location.assign(safeReturn(address));
}
