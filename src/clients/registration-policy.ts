import type { Client } from "./client.ts";
import { hostById, knownHostOf } from "./hosts.ts";
import type { Settings } from "#settings/settings.ts";
import { OAuthError } from "#protocol/errors.ts";
import { matchesPattern } from "#protocol/redirect-pattern.ts";

/** What the instance's policy decides about an app that registers, or whose document is read. */
export interface Admission {
  /** The redirect URIs that the client gets: only the approved ones, if only these are accepted. */
  readonly redirectUris: readonly string[];
  readonly isPending: boolean;
}

/** A client as it describes itself. */
type Applicant = Pick<Client, "id" | "kind" | "redirectUris">;

/**
 * Decides on which conditions an app is accepted that no administrator created. The policy is one for both ways: an app that is
 * kept out could otherwise publish a document instead of registering.
 *
 * Real hosts list redirect URIs for all their platforms in one registration. If only approved URIs pass, the others are left out
 * and the response says so (RFC 7591 §3.2.1). The app is refused if none is left.
 *
 * @throws {OAuthError} `registration_not_enabled`, or `invalid_redirect_uri` if none is approved
 */
export function admit(settings: Settings, client: Applicant): Admission {
  const { redirectUris } = client;
  switch (settings.registration) {
    case "open":
      return { redirectUris, isPending: false };
    case "approved":
      return { redirectUris: requireApproved(settings.approvedRedirectUris, client), isPending: false };
    case "approval":
      return { redirectUris, isPending: true };
    case "off":
    default:
      throw new OAuthError("registration_not_enabled", { reason: "registration_off" });
  }
}

/**
 * Decides about a document that an administrator listed for an identity provider: it is read under every policy. People can sign in
 * with the app by themselves only if every app is accepted, or once it is approved.
 */
export function admitListed({ registration }: Settings, { redirectUris }: Pick<Applicant, "redirectUris">): Admission {
  return { redirectUris, isPending: registration !== "open" };
}

/** Checks whether client metadata documents are accepted. */
export function acceptsDocuments({ registration, clientIdMetadataDocuments }: Settings): boolean {
  return registration !== "off" && clientIdMetadataDocuments;
}

/** Checks whether the policy lets people sign in with a client. What they have allowed it already stays until its grant ends. */
export function isAccepted({ kind, isApproved }: Client, settings: Settings): boolean {
  if (kind === "static") return true;
  if (kind === "document" && !settings.clientIdMetadataDocuments) return false;
  return settings.registration !== "off" || isApproved;
}

function requireApproved(approvals: readonly string[], client: Applicant): readonly string[] {
  const { kind, redirectUris } = client;
  if (kind === "document" && approvals.includes(knownHostOf(client)?.id ?? "")) return redirectUris;
  const patterns = approvals.flatMap((approval) => hostById(approval)?.redirectUris ?? [approval]);
  const approved = redirectUris.filter((uri) => patterns.some((pattern) => matchesPattern(uri, pattern)));
  if (approved.length > 0) return approved;
  throw new OAuthError("invalid_redirect_uri", {
    reason: "redirect_uri_not_approved",
    description: "None of the redirect URIs is approved here: ask an administrator to approve the application",
  });
}
