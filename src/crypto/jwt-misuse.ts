import { isConfirmation } from "#protocol/access-token-claims.ts";
import type { CompactJwt } from "./compact-jwt.ts";

/** What a kind of JWT that others sign may be. */
export interface JwtPurpose {
  /**
   * The types that its header may name, in lower case and without `application/`; `undefined`: it names none. Left out for ID tokens,
   * which come from the token endpoint itself and whose type is not standardised.
   */
  readonly types?: readonly (string | undefined)[];
  /** Whether it may describe security events (RFC 8417 §2.2). */
  readonly isEvent?: boolean;
  /** The thumbprint of the key that the sender proves to have. */
  readonly keyThumbprint?: string | undefined;
}

/** Why a JWT is not what it is presented as. */
export type JwtMisuse = "other-type" | "other-key" | "event";

/**
 * Checks that a JWT which somebody else signed was made for the purpose for which it is presented. A signature says only who made
 * it: a stolen token that is bound to a key (RFC 7800), or one that was signed for another purpose (RFC 8725 §3.11), has a valid
 * one, too. A `cnf` of another kind than a DPoP key can't be proved here, and is refused.
 *
 * Every kind passes here. Its extensions (`crit`) are refused with its signature, by `isSignedBy`.
 */
export function findMisuse({ header, payload }: CompactJwt, purpose: JwtPurpose): JwtMisuse | undefined {
  const { types, isEvent = false, keyThumbprint } = purpose;
  const { typ } = header;
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : (typ as undefined);
  if (types && !types.includes(type)) return "other-type";
  const { cnf, events } = payload;
  if (cnf !== undefined && !(isConfirmation(cnf) && cnf.jkt === keyThumbprint)) return "other-key";
  return events === undefined || isEvent ? undefined : "event";
}
