/** The challenge in a 401 or 403 of the resource server, which tells a client how to get access. */
export interface Challenge {
  /** The URL of the resource's metadata (RFC 9728 §5.1). */
  readonly resourceMetadata: string;
  /** The scopes that the call needs. */
  readonly scopes: readonly string[];
  /** The error code; absent if no credential was sent, because then nothing is wrong with it (RFC 6750 §3.1). */
  readonly error?: string | undefined;
  readonly description?: string | undefined;
  /** The scheme that the request used. */
  readonly scheme: "Bearer" | "DPoP";
  /** The signing algorithms for proofs, if the token needs one (RFC 9449 §7.1). */
  readonly dpopAlgorithms: readonly string[];
}

/**
 * Formats the value of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1). Algorithms for proofs belong in a DPoP challenge. If the
 * request used Bearer, that is a second challenge (RFC 9449 §7.2).
 */
export function formatChallenge(challenge: Challenge): string {
  const parameters = [`resource_metadata="${challenge.resourceMetadata}"`];
  if (challenge.scopes.length > 0) parameters.push(`scope="${challenge.scopes.join(" ")}"`);
  if (challenge.error) parameters.push(`error="${challenge.error}"`);
  if (challenge.description) parameters.push(`error_description="${quotable(challenge.description)}"`);
  const algorithms = `algs="${challenge.dpopAlgorithms.join(" ")}"`;
  if (challenge.scheme === "DPoP") return `DPoP ${parameters.join(", ")}, ${algorithms}`;
  return `Bearer ${parameters.join(", ")}${challenge.dpopAlgorithms.length === 0 ? "" : `, DPoP ${algorithms}`}`;
}

/**
 * Replaces characters that errors of RFC 6749 §5.2 and RFC 6750 §3 don't allow: all but printable ASCII without quote and backslash.
 */
export function quotable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
