import type { Message } from "../../api/types";

/** What a failure means for the person who wrote the message. The texts are in i18n under the same names. */
export type FailureKind =
  | "window"
  | "unreachable"
  | "allowList"
  | "self"
  | "capped"
  | "experiment"
  | "optedOut"
  | "type"
  | "mediaUpload"
  | "pairLimit"
  | "throughput"
  | "spam"
  | "locked"
  | "restricted"
  | "payment"
  | "country"
  | "access"
  | "number"
  | "templateCount"
  | "templateMissing"
  | "templateLong"
  | "templatePolicy"
  | "templateFormat"
  | "templatePaused"
  | "templateDisabled"
  | "flow"
  | "reaction"
  | "identity"
  | "consent"
  | "suspended"
  | "passing"
  | "unknown";

export interface Failure {
  kind: FailureKind;
  /** Sending the same again can work. */
  retry: boolean;
  /** A template is what would go through. */
  template: boolean;
}

const byProviderCode: Record<number, FailureKind> = {
  1: "passing",
  2: "passing",
  4: "throughput",
  10: "access",
  33: "number",
  190: "access",
  368: "restricted",
  470: "window",
  80007: "throughput",
  130429: "throughput",
  130472: "experiment",
  130497: "country",
  131000: "passing",
  131005: "access",
  131009: "reaction",
  131016: "passing",
  131021: "self",
  131026: "unreachable",
  131030: "allowList",
  131031: "locked",
  131037: "restricted",
  131042: "payment",
  131044: "payment",
  131043: "unreachable",
  131045: "number",
  131047: "window",
  131048: "spam",
  131049: "capped",
  131050: "optedOut",
  131051: "type",
  131052: "mediaUpload",
  131053: "mediaUpload",
  131056: "pairLimit",
  131057: "passing",
  131062: "type",
  131063: "restricted",
  131064: "spam",
  132000: "templateCount",
  132001: "templateMissing",
  132005: "templateLong",
  132007: "templatePolicy",
  132008: "templateFormat",
  132012: "templateFormat",
  132015: "templatePaused",
  132016: "templateDisabled",
  132018: "templateFormat",
  132068: "flow",
  132069: "flow",
  133010: "number",
  137000: "identity",
};

const byCode: Record<string, FailureKind> = {
  outside_24h_window: "window",
  marketing_opted_out: "optedOut",
  marketing_blocked_by_user: "optedOut",
  recipient_unavailable: "unreachable",
  unsupported_message_type: "type",
  account_restricted: "restricted",
  account_locked: "locked",
  consent_required: "consent",
  customer_suspended: "suspended",
  permission_revoked: "access",
  auth_expired: "access",
  app_rate_limited: "throughput",
  account_rate_limited: "throughput",
  template_not_found: "templateMissing",
  template_paused: "templatePaused",
  template_policy_violation: "templatePolicy",
  flow_blocked: "flow",
  media_upload_failed: "mediaUpload",
  media_download_failed: "mediaUpload",
  undeliverable: "capped",
  subscription_inactive: "suspended",
  organization_suspended: "suspended",
};

const worthAnother = new Set<FailureKind>(["passing", "pairLimit", "throughput", "mediaUpload", "unknown"]);
const needsTemplate = new Set<FailureKind>(["window"]);

/** Says what went wrong by the provider's code, or by ours where it gave none that is known. */
export function failureOf(error: NonNullable<Message["error"]>): Failure {
  const kind = byProviderCode[error.provider_code ?? 0] ?? byCode[error.code] ?? "unknown";
  return { kind, retry: worthAnother.has(kind), template: needsTemplate.has(kind) };
}
