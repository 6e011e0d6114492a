import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client";
import { useLanguage, type Language } from "../../i18n";
import { usage as english } from "../../i18n/en/usage";
import { usage as indonesian } from "../../i18n/id/usage";

export interface Retention {
  plan_days: number | null;
  chosen_days: number | null;
  days: number | null;
}

export interface Month {
  from: string;
  until: string;
  used: number;
  limit: number | null;
  forecast: number;
  days: { date: string; outbound: number }[];
}

export interface Usage {
  plan: string;
  messages: Month;
  numbers: number;
  users: number;
  files: number;
  bytes: number;
  retention: Retention;
}

/** The page's texts come with it. */
export function useUsageText(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}

/** Messages are sent all the time: it is fetched anew whenever the page is opened. */
export const usageQuery = queryOptions({ queryKey: ["usage"], queryFn: () => get<Usage>("/usage"), staleTime: 0 });

export const removalQuery = (days: number) =>
  queryOptions({
    queryKey: ["usage", "removal", days],
    queryFn: () => get<{ messages: number; before: string }>("/usage/retention", { query: { days } }),
    staleTime: 0,
  });

/** Where the server stops to count what would be deleted. */
export const mostCounted = 100_000;

/** What can be chosen: no longer than the plan keeps messages, and what is chosen now. */
export function choices({ plan_days, chosen_days }: Retention): number[] {
  const offered = [7, 30, 90, 180, 365, 730].filter((days) => plan_days === null || days < plan_days);
  if (chosen_days !== null && !offered.includes(chosen_days) && (plan_days === null || chosen_days < plan_days)) offered.push(chosen_days);
  return offered.sort((a, b) => a - b);
}

/** As people say it: 1.2 GB. */
export function bytesText(bytes: number, language: Language): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = Math.min(units.length - 1, bytes > 0 ? Math.floor(Math.log10(bytes) / 3) : 0);
  const value = bytes / 1000 ** step;
  return new Intl.NumberFormat(language, { style: "unit", unit: units[step], unitDisplay: "short", maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 }).format(value);
}
