import { queryOptions } from "@tanstack/react-query";
import { all, get, pages, send } from "../api/client";
import type { Template, TemplatePart } from "../inbox/templates/template";
import type { LibraryFile } from "../media/data";
import type { Category, TemplatesSearch } from "./address";
import type { Form } from "./builder/form";

/** A template in one language, with all that the provider says of it. */
export interface FullTemplate extends Template {
  status: "approved" | "pending" | "rejected";
  provider_status: string;
  rejected_reason: string | null;
  category: Category | null;
  quality: string | null;
  message_send_ttl_seconds: number | null;
  provider_template_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface Change {
  id: string;
  aspect: "status" | "quality" | "category" | "next_category";
  previous: string | null;
  value: string;
  reason: string | null;
  detail: string | null;
  at: string;
}

export interface History {
  changes: Change[];
  samples: { place: string; file: LibraryFile }[];
}

/** A template that somebody has begun to write. */
export interface Draft {
  id: string;
  name: string;
  language: string;
  category: string;
  content: Form;
  updated_at: string;
}

export interface NewTemplate {
  name: string;
  language: string;
  category: Category;
  parameter_format: "positional" | "named";
  message_send_ttl_seconds?: number;
  components: TemplatePart[];
}

export const templateListQuery = (number: string, s: TemplatesSearch) =>
  pages<FullTemplate>(["templates", "list", number, s], `/${number}/templates`, {
    status: s.state && s.state !== "draft" ? s.state : "all",
    language: s.language,
    category: s.category,
    search: s.q?.trim() || undefined,
    limit: 100,
  });

export const versionsQuery = (number: string, name: string) =>
  queryOptions({
    queryKey: ["templates", "named", number, name],
    queryFn: () => all<FullTemplate>(`/${number}/templates`, { query: { status: "all", name, limit: 100 } }),
  });

export const historyQuery = (number: string, name: string, language: string) =>
  queryOptions({
    queryKey: ["templates", "history", number, name, language],
    queryFn: () => get<History>(`/${number}/templates/${name}/history`, { query: { language } }),
  });

export const draftsQuery = (number: string) =>
  queryOptions({ queryKey: ["templates", "drafts", number], queryFn: () => all<Draft>(`/${number}/template-drafts`) });

export const draftQuery = (number: string, id: string) =>
  queryOptions({
    queryKey: ["template-draft", number, id],
    queryFn: () => get<Draft>(`/${number}/template-drafts/${id}`),
    gcTime: 0,
  });

export interface Synced {
  created: number;
  updated: number;
  removed: number;
  synced: number;
}

export const syncTemplates = (number: string) => send<Synced>("POST", `/${number}/templates/sync`);
export const createTemplate = (number: string, t: NewTemplate) => send<FullTemplate>("POST", `/${number}/templates`, t);
/** The name, the language and how variables are told apart stay. */
export const editTemplate = (number: string, { name, language, category, message_send_ttl_seconds, components }: NewTemplate) =>
  send<FullTemplate>("PATCH", `/${number}/templates/${name}`, { language, category, message_send_ttl_seconds, components });
export const deleteTemplate = (number: string, name: string, language?: string) =>
  send("DELETE", `/${number}/templates/${name}${language ? `?language=${encodeURIComponent(language)}` : ""}`);
export const deleteDraft = (number: string, id: string) => send("DELETE", `/${number}/template-drafts/${id}`);

export function saveDraft(number: string, id: string | undefined, form: Form): Promise<Draft> {
  const body = { name: form.name, language: form.language, category: form.category, content: form };
  return id ? send<Draft>("PUT", `/${number}/template-drafts/${id}`, body) : send<Draft>("POST", `/${number}/template-drafts`, body);
}
