import { D1Store } from "#platform/d1-store.ts";
import type { ClientKind } from "#clients/client.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { GrantHolder } from "./grant-holder.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly email_verified: number;
  readonly kind: ClientKind;
  readonly app: string;
  readonly scopes: string;
  readonly client_id: string;
  readonly redirect_uris: string;
}

/**
 * Finds who gave a grant. An access token may outlive the expiry of its grant by its own lifetime, so the grant counts until it
 * is revoked.
 */
export class D1GrantHolders extends D1Store {
  /** Finds the person who gave a grant. Returns `null` if the grant was revoked, its client is disabled or the person is deactivated. */
  async holder(instanceId: number, grantId: string): Promise<GrantHolder | null> {
    const row = await this.first<Row>(
      `SELECT p.id, p.name, p.email, p.email_verified, c.id AS client_id, c.kind, c.app, c.scopes, c.redirect_uris
       FROM grants g JOIN people p ON p.id = g.person_id
         JOIN clients c ON c.id = g.client_id AND c.instance_id = g.instance_id
       WHERE g.id = ?1 AND g.instance_id = ?2 AND g.redeemed_at IS NOT NULL AND g.revoked_at IS NULL
         AND p.deactivated_at IS NULL AND c.disabled_at IS NULL`,
      [grantId, instanceId],
    );
    if (row === null) return null;
    const { id, name, email, kind, app } = row;
    const scopes = JSON.parse(row.scopes) as Scope[];
    const client = { id: row.client_id, kind, app, scopes, redirectUris: JSON.parse(row.redirect_uris) as string[] };
    return { id, name, email, isEmailVerified: row.email_verified === 1, client };
  }
}
