/** What a 401 or 403 of the resource server tells a client about the way in. */
export interface Challenge {
  /** Where the resource's metadata is (RFC 9728 §5.1). */
  readonly resourceMetadata: string;
  /** The scopes that the call needs. */
  readonly scopes: readonly string[];
  /** Absent where no credential was sent: there is nothing to be wrong with it (RFC 6750 §3.1). */
  readonly error?: string | undefined;
  readonly description?: string | undefined;
}

/** The value of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1). */
export function formatChallenge(challenge: Challenge): string {
  const parameters = [`resource_metadata="${challenge.resourceMetadata}"`];
  if (challenge.scopes.length > 0) parameters.push(`scope="${challenge.scopes.join(" ")}"`);
  if (challenge.error) parameters.push(`error="${challenge.error}"`);
  if (challenge.description) parameters.push(`error_description="${quotable(challenge.description)}"`);
  return `Bearer ${parameters.join(", ")}`;
}

/** RFC 6750 §3 allows printable ASCII without quote and backslash. */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
