import { useSyncExternalStore } from "react";
import * as english from "./en";
import type { Translated } from "./types";

export type Dictionary = { [Area in keyof typeof english]: Translated<(typeof english)[Area]> };
export type Language = "en" | "id";

/** Each language under its own name. */
export const languages: Record<Language, string> = { en: "English", id: "Bahasa Indonesia" };

const storageKey = "parley-language";
let language: Language = "en";
let dictionary: Dictionary = english;
const watchers = new Set<() => void>();

function isLanguage(value: string | null): value is Language {
  return value === "en" || value === "id";
}

/** The user's choice, else the first of the browser's languages that we speak, else English. */
export function preferredLanguage(chosen: string | null, offered: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  return offered.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

async function show(next: Language): Promise<void> {
  dictionary = next === "id" ? await import("./id") : english;
  language = next;
  document.documentElement.lang = next;
  watchers.forEach((changed) => changed());
}

/** Called before the first rendering. */
export function startLanguage(): Promise<void> {
  return show(preferredLanguage(localStorage.getItem(storageKey), navigator.languages));
}

export function setLanguage(next: Language): Promise<void> {
  localStorage.setItem(storageKey, next);
  return show(next);
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** The texts of one area: const t = useText("inbox"); t.send. Texts with values are functions. */
export function useText<Area extends keyof Dictionary>(area: Area): Dictionary[Area] {
  return useSyncExternalStore(watch, () => dictionary)[area];
}

/** The same outside of components. */
export function text<Area extends keyof Dictionary>(area: Area): Dictionary[Area] {
  return dictionary[area];
}

/** For Intl, and to render again when the language changes. */
export function useLanguage(): Language {
  return useSyncExternalStore(watch, () => language);
}
