import type { SealPurpose } from "#crypto/key-purposes.ts";
import { receiverPurpose } from "#audit/audit-delivery.ts";
import { signingKeyPurpose } from "#authorization-server/signing-keys/signing-keys.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";

/** A secret that is sealed in the database. Every further kind must be here, or an old master key could be removed too early. */
export interface SealedSecret {
  readonly kind: "single-sign-on" | "signing-key" | "audit-receiver";
  readonly instanceId: number;
  readonly instanceName: string;
  /** The signing key's id, or the receiver's address; empty for the client secret at an SSO. */
  readonly kid: string;
  readonly sealed: string;
}

export interface InstanceGrants {
  readonly instanceId: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Grants whose refresh token was made before a time and can still be used. */
export interface OldRefreshTokens {
  readonly grants: number;
  /** When the last of them ends, if nobody uses it before; `null` if there are none. */
  readonly until: number | null;
}

/** Returns the purpose under which a secret is sealed. It opens for no other purpose. */
export function purposeOf({ kind, instanceId, instanceName, kid }: SealedSecret): SealPurpose {
  if (kind === "audit-receiver") return receiverPurpose(instanceId, kid);
  return kind === "signing-key" ? signingKeyPurpose(instanceId) : singleSignOnPurpose(instanceName);
}
