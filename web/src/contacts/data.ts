import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { all, get, pages, send, type Query } from "../api/client";
import type { LabelRef, Named } from "../api/types";
import type { Consent, ContactsSearch } from "./address";
import { phoneOf } from "../ui/phone";

export type { Consent, ContactsSearch } from "./address";

export interface Contact {
  id: string;
  name: string | null;
  phone_number: string | null;
  bsuid: string | null;
  username: string | null;
  email: string | null;
  metadata: Record<string, unknown> | null;
  marketing_consent: Consent;
  labels: LabelRef[];
  number: { phone_number_id: string; phone_number: string; name: string };
  team_id: string;
  conversation_id: string | null;
  last_seen_at: string | null;
  created_at: string;
}

export interface ContactDetail {
  contact: Contact;
  notes: { id: string; body: string; author: Named; created_at: string; edited_at: string | null }[];
  consent_history: {
    previous: Consent;
    consent: Consent;
    source: "user" | "key" | "provider" | "message" | "import" | "merge";
    by: Named | null;
    at: string;
  }[];
  others: Contact[];
}

export interface Job {
  id: string;
  kind: "import" | "label" | "delete";
  status: "draft" | "running" | "done" | "undoing" | "undone" | "failed";
  filename: string;
  total: number;
  done: number;
  rows: number;
  created: number;
  changed: number;
  failed: number;
  reason: string;
  created_at: string;
}

const days = { "1d": 1, "7d": 7, "30d": 30, not30d: 30 } as const;

/** The filter as the server takes it. Times begin with the hour, so that the same filter stays the same query. */
export function filterOf(search: ContactsSearch, now = Date.now()): Query {
  const { seen } = search;
  const since = (n: number) => new Date(Math.floor(now / 3_600_000) * 3_600_000 - n * 86_400_000).toISOString();
  return {
    search: search.q?.trim() || undefined,
    number: search.number,
    label_ids: search.labels,
    all_labels: search.labels && search.all ? true : undefined,
    consent: search.consent,
    seen_after: seen === "1d" || seen === "7d" || seen === "30d" ? since(days[seen]) : undefined,
    not_seen_since: seen === "not30d" ? since(days[seen]) : undefined,
    never_seen: seen === "never" ? true : undefined,
  };
}

/** The same for a change of all that match. */
export function bodyOf(search: ContactsSearch): Record<string, unknown> {
  const { label_ids, ...rest } = filterOf(search);
  const body = { ...rest, label_ids: label_ids ? String(label_ids).split(",") : undefined };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

export const contactsQuery = (search: ContactsSearch) =>
  pages<Contact>(["contacts", "list", search], "/contacts", { ...filterOf(search), sort: search.sort, limit: 100 });

export const countQuery = (search: ContactsSearch) =>
  queryOptions({
    queryKey: ["contacts", "count", { ...search, sort: undefined }],
    queryFn: async () => (await get<{ count: number }>("/contacts/count", { query: filterOf(search) })).count,
  });

export const contactQuery = (id: string) =>
  queryOptions({ queryKey: ["contacts", "one", id], queryFn: () => get<ContactDetail>(`/contacts/${id}`) });

export const jobsQuery = queryOptions({ queryKey: ["contacts", "jobs"], queryFn: () => all<Job>("/contacts/jobs") });

export const underWay = (job: Job | undefined) => job?.status === "running" || job?.status === "undoing";

/** A job, asked for again until it has ended, and what is to be done then. */
export function useJob(id: string | undefined, ended?: (job: Job) => void): Job | undefined {
  const client = useQueryClient();
  const told = useRef<string>(undefined);
  const { data } = useQuery({
    queryKey: ["contact-job", id],
    queryFn: () => get<Job>(`/contacts/jobs/${id}`),
    enabled: id !== undefined,
    refetchInterval: (query) => (underWay(query.state.data) ? 500 : false),
  });
  useEffect(() => {
    if (!data || underWay(data)) {
      told.current = undefined;
      return;
    }
    if (told.current === data.status) return;
    told.current = data.status;
    void client.invalidateQueries({ queryKey: ["contacts"] });
    ended?.(data);
  }, [data, client, ended]);
  return data;
}

/** What a person is called: by name, else by what is known. */
export function nameOf(contact: Pick<Contact, "name" | "phone_number" | "username" | "bsuid">, otherwise: string): string {
  return contact.name ?? phoneOf(contact.phone_number) ?? contact.username ?? contact.bsuid ?? otherwise;
}

const pathOf = (c: Contact) => `/${c.number.phone_number_id}/contacts/${c.id}`;

export const changeContact = (c: Contact, change: Record<string, unknown>) => send("PATCH", pathOf(c), change);
export const deleteContact = (c: Contact) => send("DELETE", pathOf(c));
export const setLabel = (c: Contact, label: string, on: boolean) =>
  on ? send("POST", `${pathOf(c)}/labels`, { label_id: label }) : send("DELETE", `${pathOf(c)}/labels/${label}`);
export const mergeContact = (c: Contact, other: string) => send<{ id: string }>("POST", `${pathOf(c)}/merge`, { contact_id: other });
export const percent = (job: Job) => (job.total > 0 ? Math.floor((job.done / job.total) * 100) : 0);
