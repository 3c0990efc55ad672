import { hostById } from "./hosts.ts";
import type { Settings } from "#settings/settings.ts";
import { OAuthError } from "#protocol/errors.ts";
import { matchesPattern } from "#protocol/redirect-pattern.ts";

/** What the instance's policy decides about a registration. */
export interface Admission {
  /** The redirect URIs that the client gets: only the approved ones, if approval is needed. */
  readonly redirectUris: readonly string[];
  readonly isPending: boolean;
}

/**
 * Decides whether a registration is admitted.
 *
 * Real hosts list redirect URIs for all their platforms in one registration. If only approved URIs pass, the others are left out
 * and the response says so (RFC 7591 §3.2.1). The registration is refused if none is left.
 *
 * @throws {OAuthError} `registration_not_enabled`, or `invalid_redirect_uri` if none is approved
 */
export function admit(settings: Settings, redirectUris: readonly string[]): Admission {
  switch (settings.registration) {
    case "open":
      return { redirectUris, isPending: false };
    case "approval":
      return { redirectUris, isPending: true };
    case "approved":
      return { redirectUris: requireApproved(settings.approvedRedirectUris, redirectUris), isPending: false };
    case "off":
    default:
      throw new OAuthError("registration_not_enabled", { reason: "registration_off" });
  }
}

function requireApproved(approvals: readonly string[], redirectUris: readonly string[]): string[] {
  const patterns = approvals.flatMap((approval) => hostById(approval)?.redirectUris ?? [approval]);
  const approved = redirectUris.filter((uri) => patterns.some((pattern) => matchesPattern(uri, pattern)));
  if (approved.length > 0) return approved;
  throw new OAuthError("invalid_redirect_uri", {
    reason: "redirect_uri_not_approved",
    description: "None of the redirect URIs is approved here: ask an administrator to approve the application",
  });
}
