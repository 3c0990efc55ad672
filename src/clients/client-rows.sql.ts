import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { AuthenticationMethod, Client, ClientKind } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import { type CoverableClient, isCovered, requirementsOfApp } from "./installs.sql.ts";
import type { NewClient } from "./new-client.ts";

/** The columns of a client that every statement reads. */
export interface ClientRow {
  readonly id: string;
  readonly kind: ClientKind;
  readonly app: string;
  readonly name: string;
  readonly client_uri: string | null;
  readonly policy_uri: string | null;
  readonly tos_uri: string | null;
  readonly redirect_uris: string;
  readonly scopes: string;
  readonly token_endpoint_auth_method: AuthenticationMethod;
  readonly is_public: number;
  readonly keys: string | null;
  readonly requirements: string;
  readonly declared_requirements: string;
  readonly is_pending: number;
  /** Missing where only clients of documents are read. */
  readonly is_covered?: number;
  readonly kept_at: number | null;
  readonly disabled_at: number | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly may_exchange: number;
}

export const CLIENT_COLUMNS = `id, kind, app, name, client_uri, policy_uri, tos_uri, redirect_uris, scopes, token_endpoint_auth_method, is_public,
  keys, requirements, declared_requirements, is_pending, kept_at, disabled_at, created_at, changed_at, may_exchange`;

/** Returns SQL of a JSON array: the ids of an instance's clients that may exchange tokens. */
export function exchangersOf(instance: string): string {
  return `(SELECT json_group_array(id) FROM clients WHERE instance_id = ${instance} AND may_exchange = 1)`;
}

/** Joins the enabled client of another table's row, which has a `client_id` and an `instance_id`. */
export function joinEnabledClient(table: string): string {
  return `JOIN clients c ON c.id = ${table}.client_id AND c.instance_id = ${table}.instance_id AND c.disabled_at IS NULL`;
}

/** The columns of a table of clients whose name in the statement is `c`, and whether an approval of the app covers the client. */
export const COVERED_CLIENT_COLUMNS = `${CLIENT_COLUMNS.replaceAll(/\w+/g, "c.$&")}, ${isCovered("c")} AS is_covered`;

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

export function toClient(row: ClientRow): Client {
  return {
    id: row.id,
    kind: row.kind,
    app: row.app,
    name: row.name,
    clientUri: row.client_uri,
    policyUri: row.policy_uri,
    tosUri: row.tos_uri,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    scopes: JSON.parse(row.scopes) as Scope[],
    tokenEndpointAuthMethod: row.token_endpoint_auth_method,
    isPublic: row.is_public === 1,
    keys: row.keys === null ? null : (JSON.parse(row.keys) as ClientKeys),
    requirements: JSON.parse(row.requirements) as AppRequirement[],
    declaredRequirements: JSON.parse(row.declared_requirements) as AppRequirement[],
    isPending: row.is_pending === 1 && row.is_covered !== 1,
    isApproved: row.kept_at !== null || row.is_covered === 1,
    isDisabled: row.disabled_at !== null,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    mayExchangeTokens: row.may_exchange === 1,
  };
}

/** Notes that somebody allowed a client (?1) of an instance (?2) at ?3, which nobody forgets from then on. A condition may follow. */
export const NOTE_AUTHORIZATION =
  "UPDATE clients SET last_authorized_at = ?3, caller = NULL WHERE id = ?1 AND instance_id = ?2";
