/**
 * The purposes of master keys. Each purpose has its own key (HKDF, RFC 5869), so that a value made for one purpose is useless for another.
 * All purposes are listed here. A value is bound to an instance, person or request by the data that is authenticated, not by a key.
 */
export const KEY_PURPOSES = {
  /** Secrets that we must use again, or that whoever carries them must not be able to read. */
  seal: ["signing-key", "single-sign-on", "step-up-form", "search-cursor", "audit-receiver"],
  /** Values that we hand out and accept back. */
  mac: [
    "refresh-token",
    "consent-csrf",
    "session-csrf",
    "sign-in-form",
    "sso-nonce",
    "sso-code-verifier",
    "author-id",
    "unfound-word",
    "admin-command",
    "dpop-nonce",
    "audit-chain",
    "audit-entry",
    "backup",
  ],
  /** Secrets that are derived from others. */
  secret: ["service-token-successor"],
} as const;

/** What is sealed, and after the colon what it is bound to. */
export type SealPurpose = `${(typeof KEY_PURPOSES.seal)[number]}:${string}`;
export type MacPurpose = (typeof KEY_PURPOSES.mac)[number];
export type SecretPurpose = (typeof KEY_PURPOSES.secret)[number];
