import { parseIndexingScope } from "#protocol/indexing-scope.ts";
import { API_SCOPES, parseScope } from "#protocol/scopes.ts";
import { parseNetwork } from "./networks.ts";
import type { ServiceTokenKind } from "./service-token.ts";

/** A pipeline's token does not outlive the pipeline by more than this. */
const INDEXING_LIFETIME_SECONDS_MAX = 366 * 24 * 3600;

/** They are compared on every request. */
const NETWORKS_MAX = 50;

/** Names stand in lists and in the audit. */
const NAME_CHARACTERS_MAX = 80;

/** What of an order can be wrong. */
export type OrderMember = "name" | "scopes" | "person" | "lifetime" | "networks";

/** A token cannot be issued as asked. The text tells the administrator what to change. */
export class TokenNotIssued extends Error {
  override readonly name = "TokenNotIssued";
  readonly member: OrderMember;

  constructor(message: string, member: OrderMember) {
    super(message);
    this.member = member;
  }
}

export interface TokenOrder {
  readonly kind: ServiceTokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Whose, for the Client API kind. */
  readonly personId: string | null;
  readonly lifetimeSeconds: number | null;
  /** Addresses and CIDR blocks that the token may be used from; none: any. */
  readonly networks?: readonly string[];
}

/** Whether a token can be issued like this. @throws {TokenNotIssued} */
export function requireOrder(order: TokenOrder): void {
  orderedName(order);
  orderedScopes(order);
  orderedNetworks(order);
}

/** @throws {TokenNotIssued} */
export function orderedName({ name }: TokenOrder): string {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > NAME_CHARACTERS_MAX) {
    throw new TokenNotIssued(`Give the token a name of at most ${NAME_CHARACTERS_MAX} characters`, "name");
  }
  return trimmed;
}

/** @throws {TokenNotIssued} for scopes, a person or a lifetime that the kind of token does not have */
export function orderedScopes(order: TokenOrder): string[] {
  return [...new Set(order.kind === "indexing" ? indexingScopes(order) : clientApiScopes(order))];
}

/** @throws {TokenNotIssued} */
export function orderedNetworks({ networks = [] }: TokenOrder): string[] {
  const parsed = new Set<string>();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === undefined) {
      throw new TokenNotIssued(`${text} is no network: write 192.0.2.0/24, 2001:db8::/32 or one address`, "networks");
    }
    parsed.add(network);
  }
  if (parsed.size > NETWORKS_MAX) throw new TokenNotIssued(`A token has at most ${NETWORKS_MAX} networks`, "networks");
  return [...parsed];
}

function indexingScopes(order: TokenOrder): readonly string[] {
  if (order.personId !== null)
    throw new TokenNotIssued("An indexing token belongs to a pipeline: leave the person out", "person");
  if (order.lifetimeSeconds === null || order.lifetimeSeconds > INDEXING_LIFETIME_SECONDS_MAX) {
    throw new TokenNotIssued("An indexing token expires, after 366 days at the latest", "lifetime");
  }
  const families = order.scopes.map((word) => parseIndexingScope(word)?.family);
  const isMetadataToken = families.length === 1 && families[0] === "custommetadata";
  const isDocumentToken = families.length > 0 && families.every((family) => family === "documents");
  if (!isMetadataToken && !isDocumentToken) {
    throw new TokenNotIssued(
      "An indexing token has exactly one scope custommetadata:global_scope or custommetadata:<group>, " +
        "or scopes documents:<datasource> (or documents:global_scope)",
      "scopes",
    );
  }
  return order.scopes;
}

function clientApiScopes(order: TokenOrder): readonly string[] {
  if (order.personId === null) {
    throw new TokenNotIssued("A Client API token acts for one person: name them by email", "person");
  }
  const scopes = order.scopes.map(parseScope);
  const isApiScope = (scope: (typeof scopes)[number]) => (API_SCOPES as readonly unknown[]).includes(scope);
  if (scopes.length === 0 || !scopes.every(isApiScope)) {
    throw new TokenNotIssued(`A Client API token has scopes out of ${API_SCOPES.join(", ")}`, "scopes");
  }
  return scopes.filter((scope) => scope !== undefined);
}
