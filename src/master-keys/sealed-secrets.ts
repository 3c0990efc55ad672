import type { SealPurpose } from "#crypto/key-purposes.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { receiverPurpose } from "#audit/audit-delivery.ts";
import { signingKeyPurpose } from "#authorization-server/signing-keys/signing-keys.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";

/** A secret that is sealed in the database. */
export interface SealedSecret {
  readonly kind: "single-sign-on" | "signing-key" | "audit-receiver";
  readonly instanceId: number;
  readonly instanceName: string;
  /**
   * The signing key's id, or the receiver's address; empty for the SSO's client secret, of which an instance has one.
   */
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

export interface SealedSecrets {
  list(): Promise<SealedSecret[]>;
  /**
   * Replaces the seal of a secret, and records that in the same transaction.
   *
   * @returns `false` if the secret has changed since it was read
   */
  replace(secret: SealedSecret, sealed: string, entry: AuditEntry<"secret_resealed">): Promise<boolean>;
  /** Notes that a key is the current one, unless this is noted already. @returns since when it is current */
  noteCurrent(keyId: string, now: number): Promise<number>;
  instances(): Promise<InstanceGrants[]>;
  refreshTokensFromBefore(
    instanceId: number,
    before: number,
    idleSeconds: number,
    now: number,
  ): Promise<OldRefreshTokens>;
}

/** Returns the purpose under which a secret is sealed. It opens for no other purpose. */
export function purposeOf({ kind, instanceId, instanceName, kid }: SealedSecret): SealPurpose {
  if (kind === "audit-receiver") return receiverPurpose(instanceId, kid);
  return kind === "signing-key" ? signingKeyPurpose(instanceId) : singleSignOnPurpose(instanceName);
}
