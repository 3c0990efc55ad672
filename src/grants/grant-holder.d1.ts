import { D1Store } from "#platform/d1.ts";
import { readerOf, type RowOf } from "#platform/columns.sql.ts";
import type { RuledClient } from "#clients/allowed-scopes.ts";
import type { GrantHolder } from "./grant-holder.ts";

const readClient = readerOf<RuledClient>()(["scopes", "redirectUris"]);

type Row = Parameters<typeof readClient>[0] &
  RowOf<Omit<GrantHolder, "id" | "client">, never, "isEmailVerified"> & { readonly personId: string };

/**
 * Finds who gave a grant. An access token may outlive the expiry of its grant by its own lifetime, so the grant counts until it
 * is revoked.
 */
export class D1GrantHolders extends D1Store {
  /** Finds the person who gave a grant. Returns `null` if the grant was revoked, its client is disabled or the person is deactivated. */
  holder(instanceId: number, grantId: string): Promise<GrantHolder | null> {
    return this.first(
      `SELECT p.id AS personId, p.name, p.email, p.email_verified AS isEmailVerified, c.id, c.kind, c.app, c.scopes, c.redirect_uris AS redirectUris
       FROM grants g JOIN people p ON p.id = g.person_id
         JOIN clients c ON c.id = g.client_id AND c.instance_id = g.instance_id
       WHERE g.id = ?1 AND g.instance_id = ?2 AND g.redeemed_at IS NOT NULL AND g.revoked_at IS NULL
         AND p.deactivated_at IS NULL AND c.disabled_at IS NULL`,
      [grantId, instanceId],
      ({ personId: id, name, email, isEmailVerified, ...client }: Row) => {
        return { id, name, email, isEmailVerified: isEmailVerified === 1, client: readClient(client) };
      },
    );
  }
}
