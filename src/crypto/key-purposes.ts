/**
 * What master keys are used for. Each use has a key of its own (HKDF, RFC 5869), so that a value made for one means nothing to
 * another. Uses are named here and nowhere else: whatever is bound to one instance, person or request is bound by what is
 * authenticated, and makes no key.
 */
export const KEY_PURPOSES = {
  /** Secrets that we must use again, or that their bearer must not be able to read. */
  seal: ["signing-key", "single-sign-on", "step-up-form", "search-cursor", "audit-receiver"],
  /** Values that we hand out and want back. */
  mac: [
    "refresh-token",
    "consent-csrf",
    "session-csrf",
    "sign-in-form",
    "sso-nonce",
    "sso-code-verifier",
    "author-id",
    "admin-command",
    "dpop-nonce",
    "audit-chain",
    "backup",
  ],
  /** Secrets that follow from others. */
  secret: ["service-token-successor"],
} as const;

/** What is sealed, and after the colon what it is bound to. */
export type SealPurpose = `${(typeof KEY_PURPOSES.seal)[number]}:${string}`;
export type MacPurpose = (typeof KEY_PURPOSES.mac)[number];
export type SecretPurpose = (typeof KEY_PURPOSES.secret)[number];
