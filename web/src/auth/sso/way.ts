const key = "parley-sso-return";

/** Keeps where somebody wanted to go, for this tab, until the identity provider has sent the browser back. */
export function rememberReturn(address: string | undefined): void {
  if (address) sessionStorage.setItem(key, address);
  else sessionStorage.removeItem(key);
}

export function rememberedReturn(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined;
}
