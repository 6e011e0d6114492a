import { Store } from "../ui/store";

/** What this browser does when a message arrives. */
export interface Preferences {
  /** Whose conversations count: mine; mine and those of nobody; all that I see. */
  about: "mine" | "unassigned" | "all";
  desktop: boolean;
  sound: boolean;
}

const key = "parley-notifications";

function read(): Preferences {
  const usual: Preferences = { about: "unassigned", desktop: false, sound: false };
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Preferences>) };
  } catch {
    return usual;
  }
}

export const preferences = new Store(read());

export function setPreferences(change: Partial<Preferences>): void {
  const next = { ...preferences.get(), ...change };
  localStorage.setItem(key, JSON.stringify(next));
  preferences.set(next);
}
