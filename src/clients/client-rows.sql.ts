import { asMembers, readerOf } from "#platform/columns.sql.ts";
import type { Client, NewClient } from "./client.ts";
import { type CoverableClient, isCovered, requirementsOfApp } from "./installs.sql.ts";

/** What a client has in one column each. The rest is told from several. */
type InColumns = Omit<Client, "isPending" | "isApproved" | "isDisabled">;

const readColumns = readerOf<InColumns>()(
  ["redirectUris", "scopes", "keys", "requirements", "declaredRequirements"],
  ["isPublic", "mayExchangeTokens"],
);

/** The columns of a client that every statement reads. */
export type ClientRow = Parameters<typeof readColumns>[0] & {
  readonly isPending: number;
  /** Missing where only clients of documents are read. */
  readonly covered?: number;
  readonly keptAt: number | null;
  readonly disabledAt: number | null;
};

/** Returns the columns of a table of clients. @param of the table's name in the statement, with a dot */
function columnsOf(of: string): string {
  const columns = `id, kind, app, name, client_uri, policy_uri, tos_uri, redirect_uris, scopes, token_endpoint_auth_method, is_public,
    keys, requirements, declared_requirements, is_pending, kept_at, disabled_at, created_at, changed_at`;
  return `${asMembers(columns, of)}, ${of}may_exchange AS mayExchangeTokens`;
}

export const CLIENT_COLUMNS = columnsOf("");

/** Returns SQL of a JSON array: the ids of an instance's clients that may exchange tokens. */
export function exchangersOf(instance: string): string {
  return `(SELECT json_group_array(id) FROM clients WHERE instance_id = ${instance} AND may_exchange = 1)`;
}

/** Joins the enabled client of another table's row, which has a `client_id` and an `instance_id`. */
export function joinEnabledClient(table: string): string {
  return `JOIN clients c ON c.id = ${table}.client_id AND c.instance_id = ${table}.instance_id AND c.disabled_at IS NULL`;
}

/** The columns of a table of clients whose name in the statement is `c`, and whether an approval of the app covers the client. */
export const COVERED_CLIENT_COLUMNS = `${columnsOf("c.")}, ${isCovered("c")} AS covered`;

/** The condition for clients that nobody has allowed and that no administrator has created or decided about, spelled as in the indexes. */
export const UNUSED = "last_authorized_at IS NULL AND disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static'";

/**
 * The condition for clients that may be deleted once nobody uses them. A client described by a document may come back under the
 * same id, and what administrators require of it would be lost.
 */
export const FORGETTABLE = "(kind <> 'document' OR requirements = '[]')";

/** Inserts the values of {@link valuesOf}. The caller adds its conditions, whose parameters are numbered from ?23. */
export const INSERT_CLIENT = `INSERT INTO clients (id, instance_id, kind, name, client_uri, redirect_uris, scopes,
  token_endpoint_auth_method, is_public, keys, proof, registration_token_hash, caller, is_pending, created_at, changed_at, policy_uri, tos_uri,
  requirements, declared_requirements, app, variant, may_exchange)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?15, ?16, ?17, coalesce(${requirementsOfApp("?2", "?20")}, ?18),
    ?19, ?20, ?21, ?22`;

/** The parameters of {@link INSERT_CLIENT} that decide whether an approval covers the client. */
export const INSERTED: CoverableClient = { instanceId: "?2", app: "?20", variant: "?21", scopes: "?7" };

/** Returns SQL that makes `changed_at` later with every change, even within one second. */
export function laterThanBefore(now: string): string {
  return `changed_at = MAX(${now}, changed_at + 1)`;
}

export function valuesOf(instanceId: number, client: NewClient) {
  return [
    client.id,
    instanceId,
    client.kind,
    client.name,
    client.clientUri,
    JSON.stringify(client.redirectUris),
    JSON.stringify(client.scopes),
    client.tokenEndpointAuthMethod,
    client.isPublic ? 1 : 0,
    client.keys && JSON.stringify(client.keys),
    client.proof,
    client.registrationTokenHash,
    client.caller,
    client.isPending ? 1 : 0,
    client.createdAt,
    client.policyUri,
    client.tosUri,
    JSON.stringify(client.requirements),
    JSON.stringify(client.declaredRequirements),
    client.app,
    client.variant,
    client.mayExchangeTokens ? 1 : 0,
  ] as const;
}

export function toClient({ isPending, covered, keptAt, disabledAt, ...columns }: ClientRow): Client {
  return {
    ...readColumns(columns),
    isPending: isPending === 1 && covered !== 1,
    isApproved: keptAt !== null || covered === 1,
    isDisabled: disabledAt !== null,
  };
}

/** Notes that somebody allowed a client (?1) of an instance (?2) at ?3, which nobody forgets from then on. A condition may follow. */
export const NOTE_AUTHORIZATION =
  "UPDATE clients SET last_authorized_at = ?3, caller = NULL WHERE id = ?1 AND instance_id = ?2";
