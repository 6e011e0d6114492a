export type State = "approved" | "pending" | "rejected" | "draft";
export type Category = "MARKETING" | "UTILITY" | "AUTHENTICATION";

/** What the address of the list may say. */
export interface TemplatesSearch {
  q?: string;
  number?: string;
  state?: State;
  language?: string;
  category?: Category;
}

/** What the address of the builder may say: what to begin with. */
export interface BuilderSearch {
  number?: string;
  /** A template to change, in this language, or to write in another one. */
  edit?: string;
  copy?: string;
  language?: string;
  draft?: string;
}
