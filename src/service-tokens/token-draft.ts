import { displayName } from "#protocol/display-name.ts";
import { ADMIN_SCOPES, parseAdminScope } from "#protocol/admin-scopes.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { parseDirectoryScope } from "#protocol/directory-scope.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { parseIndexingScope } from "#protocol/indexing-scope.ts";
import { API_SCOPES, parseScope } from "#protocol/scopes.ts";
import { parseNetwork } from "./networks.ts";
import type { ServiceTokenKind } from "./service-token.ts";

/** Maximum lifetime of a program's token, which may stay in use after the program by at most this time. */
const PROGRAM_LIFETIME_SECONDS_MAX = 366 * 24 * 3600;

/**
 * Maximum lifetime of a person's token, if it expires at all, so that the expiry is a date that clocks and databases can represent.
 */
const LIFETIME_SECONDS_MAX = 3660 * 24 * 3600;

/** Maximum networks of a token, because they are compared on every request. */
const NETWORKS_MAX = 50;

/** Maximum length of a name, because names are in lists and in the audit. */
const NAME_CHARACTERS_MAX = 80;

/** A token as an administrator requests it. */
export interface TokenDraft {
  readonly kind: ServiceTokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The email address of the person that it acts for, for the Client API kind. */
  readonly person: string | null;
  readonly lifetimeSeconds: number | null;
  /** Addresses and CIDR blocks that the token may be used from; none: any. */
  readonly networks?: readonly string[];
}

/** A token that can be issued. */
export type AcceptedDraft = Required<TokenDraft>;

/**
 * Checks a requested token.
 *
 * @throws {AdministrationRefused} with the member that has to change: `name`, `scopes`, `person`, `lifetimeSeconds` or `networks`
 */
export function readDraft(draft: TokenDraft): AcceptedDraft {
  return {
    kind: draft.kind,
    name: readName(draft),
    scopes: [...new Set(SCOPES_OF_KIND[draft.kind](draft))],
    person: draft.person === null ? null : readPerson(draft.person),
    lifetimeSeconds: readLifetime(draft),
    networks: readNetworks(draft),
  };
}

function readLifetime({ lifetimeSeconds }: TokenDraft): number | null {
  if (lifetimeSeconds === null || (lifetimeSeconds > 0 && lifetimeSeconds <= LIFETIME_SECONDS_MAX))
    return lifetimeSeconds;
  throw new AdministrationRefused("A token that expires does so within 3660 days", "lifetimeSeconds");
}

function readPerson(person: string): string {
  const email = parseEmailAddress(person);
  if (email === undefined) throw new AdministrationRefused("Enter the person’s email address", "person");
  return email;
}

function readName({ name }: TokenDraft): string {
  const shown = displayName(name);
  if (shown === undefined || shown.length > NAME_CHARACTERS_MAX) {
    throw new AdministrationRefused(`Give the token a name of at most ${NAME_CHARACTERS_MAX} characters`, "name");
  }
  return shown;
}

function readNetworks({ networks = [] }: TokenDraft): string[] {
  const parsed = new Set<string>();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === undefined) {
      throw new AdministrationRefused(
        `${text} is not a network: write 192.0.2.0/24, 2001:db8::/32 or one address`,
        "networks",
      );
    }
    parsed.add(network);
  }
  if (parsed.size > NETWORKS_MAX)
    throw new AdministrationRefused(`A token has at most ${NETWORKS_MAX} networks`, "networks");
  return [...parsed];
}

function indexingScopes(draft: TokenDraft): readonly string[] {
  requireProgramToken(draft, "An indexing token belongs to a pipeline", "An indexing token");
  const families = draft.scopes.map((word) => parseIndexingScope(word)?.family);
  const isMetadataToken = families.length === 1 && families[0] === "custommetadata";
  const isDocumentToken = families.length > 0 && families.every((family) => family === "documents");
  if (!isMetadataToken && !isDocumentToken) {
    throw new AdministrationRefused(
      "An indexing token has exactly one scope custommetadata:global_scope or custommetadata:<group>, " +
        "or scopes documents:<datasource> (or documents:global_scope)",
      "scopes",
    );
  }
  return draft.scopes;
}

function adminScopes(draft: TokenDraft): readonly string[] {
  requireProgramToken(draft, "An admin token acts under its own name", "An admin token");
  const { scopes } = draft;
  if (scopes.length > 0 && scopes.every((word) => parseAdminScope(word) !== undefined)) return scopes;
  throw new AdministrationRefused(`An admin token has scopes out of ${ADMIN_SCOPES.join(", ")}`, "scopes");
}

function directoryScopes(draft: TokenDraft): readonly string[] {
  requireProgramToken(draft, "A SCIM token belongs to a directory", "A SCIM token");
  const { scopes } = draft;
  if (scopes.length === 1 && scopes.every((word) => parseDirectoryScope(word) !== undefined)) return scopes;
  throw new AdministrationRefused(
    "A SCIM token has exactly one scope, directory:<name>: the name has at most 30 lower-case letters, digits and dashes",
    "scopes",
  );
}

/** Requires that a program's token expires, because it does not end with a person's access. */
function requireProgramToken({ person, lifetimeSeconds }: TokenDraft, whose: string, token: string): void {
  if (person !== null) throw new AdministrationRefused(`${whose}: leave the person out`, "person");
  if (lifetimeSeconds === null || lifetimeSeconds > PROGRAM_LIFETIME_SECONDS_MAX) {
    throw new AdministrationRefused(`${token} must expire, after at most 366 days`, "lifetimeSeconds");
  }
}

function clientApiScopes(draft: TokenDraft): readonly string[] {
  if (draft.person === null) {
    throw new AdministrationRefused("A Client API token acts for one person: enter their email", "person");
  }
  const scopes = draft.scopes.map(parseScope);
  const isApiScope = (scope: (typeof scopes)[number]) => (API_SCOPES as readonly unknown[]).includes(scope);
  if (scopes.length === 0 || !scopes.every(isApiScope)) {
    throw new AdministrationRefused(`A Client API token has scopes out of ${API_SCOPES.join(", ")}`, "scopes");
  }
  return scopes.filter((scope) => scope !== undefined);
}

const SCOPES_OF_KIND: Readonly<Record<ServiceTokenKind, (draft: TokenDraft) => readonly string[]>> = {
  "client-api": clientApiScopes,
  indexing: indexingScopes,
  admin: adminScopes,
  scim: directoryScopes,
};
