export type Role = "owner" | "admin" | "agent";
export type Visibility = "all" | "teams" | "assigned";

export interface Named {
  id: string;
  name: string;
}

export interface Me {
  user: { id: string; name: string; email: string; role: Role; sees: Visibility; away: boolean; second_step: boolean; operator: boolean; created_at: string };
  organization: Named;
  plan: { name: string; customers: boolean };
  teams: Named[];
  numbers: MyNumber[];
  /** These are the newest of more numbers than the page knows. */
  more_numbers: boolean;
  /** The organization wants two-step sign-in, and the user has to set it up before anything else. */
  second_step_needed: boolean;
  simulator: boolean;
  version: string;
}

export interface MyNumber {
  phone_number_id: string;
  phone_number: string | null;
  name: string;
  team_id: string;
  status: string;
  customer_id: string | null;
}

export interface BusinessNumber {
  phone_number_id: string | null;
  phone_number: string | null;
  name: string | null;
  status: string;
  status_reason: string | null;
  provider_status: string | null;
  quality: string | null;
  messaging_limit: string | null;
  daily_limit: number | null;
  restriction: string | null;
  restricted_until: string | null;
  require_opt_in: boolean;
  waba_id: string;
  team_id: string;
  customer: { id: string; name: string; status: string } | null;
  created_at: string;
  updated_at: string;
}

/** What is known of any number. */
export type KnownNumber = Pick<MyNumber, "phone_number_id" | "phone_number" | "team_id"> & { name: string | null };

export interface Session {
  id: string;
  client: string;
  address: string;
  created_at: string;
  seen_at: string;
  current: boolean;
}

export interface Person extends Named {
  email: string;
  role: Role;
  teams: string[];
  away: boolean;
  disabled: boolean;
}

export interface User extends Person {
  sees: Visibility;
  invited: boolean;
  second_step: boolean;
  created_at: string;
}

export interface Link {
  url: string;
  kind: "invitation" | "reset";
  expires_at: string;
  /** It is also on its way by mail. */
  mailed?: boolean;
}

/** What a page opened by a link may know before a password is chosen. */
export interface LinkInfo {
  kind: "invitation" | "reset";
  email: string;
  name: string;
  organization: string;
  /** A code is needed besides the password. */
  second_step: boolean;
}

export interface Team extends Named {
  members: string[];
}

export const labelColors = [
  "gray", "red", "orange", "amber", "yellow", "lime", "green", "emerald", "teal", "sky", "blue", "violet", "pink",
] as const;
export type LabelColor = (typeof labelColors)[number];

export interface LabelRef extends Named {
  color: LabelColor;
}

export interface Label extends LabelRef {
  team_id: string;
  created_at: string;
  updated_at: string;
}

/** A canned reply: a team's, or with an owner personal. */
export interface Reply extends Named {
  body: string;
  media_id: string | null;
  team_id: string | null;
  owner_id: string | null;
}

export type ConversationStatus = "open" | "pending" | "resolved";
export type Direction = "inbound" | "outbound";
export type MessageStatus = "queued" | "pending" | "sent" | "delivered" | "read" | "failed";
export type MessageType =
  | "text" | "image" | "document" | "video" | "audio" | "template" | "interactive"
  | "reaction" | "location" | "contacts" | "button" | "unsupported";

export interface Conversation {
  id: string;
  object: "conversation";
  status: ConversationStatus;
  snoozed_until: string | null;
  contact: {
    id: string;
    name: string | null;
    phone_number: string | null;
    bsuid: string | null;
    username: string | null;
  };
  number: { phone_number_id: string; phone_number: string; name: string };
  assignee: Named | null;
  labels: LabelRef[];
  contact_labels: LabelRef[];
  unread_count: number;
  waiting_since: string | null;
  window_expires_at: string | null;
  last_message: {
    id: string;
    direction: Direction;
    type: MessageType;
    status: MessageStatus;
    preview: string;
    error_code: string | null;
    created_at: string;
  } | null;
  draft: boolean;
  last_message_at: string | null;
  created_at: string;
  updated_at: string;
}

/** What a thread's messages have to know of their conversation. */
export type ThreadRef = Pick<Conversation, "id" | "contact" | "number">;

export type InboxView = "mine" | "unassigned" | "all" | "mentions" | "snoozed";

export interface ConversationFilter {
  view?: InboxView;
  status?: ConversationStatus | "any";
  number?: string;
  label_id?: string;
  assigned_to?: string;
  team_id?: string;
  unread?: boolean;
  sort?: "newest" | "oldest" | "waiting";
}

/** A count stops at 1000, which means "999+". */
export type Counts = Record<InboxView, { open: number; unread: number }>;

/** A message as the public API shows it, with what the dashboard adds. Its content is under the name of its type. */
export interface Message {
  id: string;
  object: "message";
  direction: Direction;
  from: string | null;
  to: string | null;
  bsuid: string | null;
  parent_bsuid: string | null;
  username: string | null;
  type: MessageType;
  status: MessageStatus;
  source: "api" | "dashboard" | "app" | "broadcast" | "automatic" | null;
  conversation_id: string;
  message_id?: string;
  text?: { body: string; preview_url?: boolean };
  image?: MediaContent;
  document?: MediaContent;
  video?: MediaContent;
  audio?: MediaContent;
  template?: Record<string, unknown>;
  preview?: Record<string, unknown>;
  interactive?: Record<string, unknown>;
  reaction?: { message_id: string; emoji: string };
  location?: { latitude: number; longitude: number; name?: string; address?: string };
  contacts?: Record<string, unknown>[];
  button?: { text: string; payload?: string };
  unsupported?: { type: string };
  referral?: Record<string, unknown>;
  order?: Record<string, unknown>;
  errors?: { code?: number; title?: string; message?: string }[];
  context?: { message_id?: string; forwarded?: boolean; frequently_forwarded?: boolean };
  is_revoked: boolean;
  /** When its author last changed it. */
  edited_at?: string;
  error?: { code: string; message: string; provider_code: number | null };
  played_at?: string;
  created_at: string;
  updated_at: string;
  sent_by: Named | null;
  media: { mime_type: string; filename: string | null; size: number | null; sha256: string | null } | null;
  quoted: { id: string; direction: Direction; type: MessageType; preview: string } | null;
  reactions: { emoji: string; direction: Direction; from: string | null }[];
}

export interface MediaContent {
  id?: string;
  link?: string;
  caption?: string;
  filename?: string;
  mime_type?: string;
  voice?: boolean;
}

export interface Note {
  body: string;
  author: Named;
  mentions: string[];
  edited_at: string | null;
}

export interface Happening {
  what:
    | "assigned" | "unassigned" | "resolved" | "reopened" | "snoozed" | "woken" | "labelled" | "unlabelled";
  by: Named | null;
  to: Named | null;
  label: { name: string; color: LabelColor } | null;
  until: string | null;
  /** The reason, where nobody did it. */
  why?: "round_robin" | "away" | "left" | null;
}

export type TimelineItem = { id: string; created_at: string } & (
  | { kind: "message"; message: Message }
  | { kind: "note"; note: Note }
  | { kind: "happening"; happening: Happening }
);

/** What the server keeps of what a person has begun to write; empty where that is nothing. */
export type SavedDrafts = Record<"reply" | "note", { body: string; updated_at: string | null }>;

export interface Presence extends Named {
  state: "viewing" | "replying";
}

export interface SavedView extends Named {
  filter: ConversationFilter;
  shared: boolean;
  owner_id: string;
}

export interface Handset extends Named {
  phone_number: string;
  avatar_hue: number;
  online: boolean;
  blocked: boolean;
  unread: number;
}

/** What the stream says: something of this kind changed, fetch it again if it is on screen. */
export type Hint =
  | { kind: "hello"; version: string }
  | { kind: "session" }
  | { kind: "conversation"; id: string }
  | { kind: "presence"; id: string; users: { id: string; name: string; state: "viewing" | "replying" }[] }
  | { kind: "all" | "inbox" | "people" | "sessions" | "labels" | "replies" | "views" | "templates" | "media" | "numbers" | "customers" | "keys" | "webhooks" | "phone" | "organization" | "broadcast" };
