import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Refusal } from "#protocol/errors.ts";
import { displayName, NAME_CHARACTERS_MAX } from "#protocol/display-name.ts";
import { requireRedirectUri } from "#protocol/redirect-uri.ts";
import { opensAnApi } from "#protocol/scopes.ts";
import type { ClientDescription } from "./client.ts";
import { REDIRECT_URIS_MAX } from "./client-metadata.ts";

/**
 * Checks what an administrator enters about a client against the rules for what clients say about themselves: a name that a
 * consent page can show, redirect URIs, and at least one scope of an API.
 *
 * @returns the description, its name without invisible characters
 * @throws {AdministrationRefused} naming the member
 */
export function requireDescription<Description extends Partial<ClientDescription>>(
  description: Description,
): Description {
  const { name, redirectUris, scopes } = description;
  if (redirectUris !== undefined && (redirectUris.length === 0 || redirectUris.length > REDIRECT_URIS_MAX)) {
    throw new AdministrationRefused(`Enter 1 to ${REDIRECT_URIS_MAX} redirect URIs`, "redirectUris");
  }
  for (const uri of redirectUris ?? []) requireAcceptableUri(uri);
  if (scopes !== undefined && !opensAnApi(scopes)) {
    throw new AdministrationRefused("Choose at least one of SEARCH, CHAT and DOCUMENTS", "scopes");
  }
  if (name === undefined) return description;
  const visible = displayName(name);
  if (visible === undefined || Array.from(name.trim()).length > NAME_CHARACTERS_MAX) {
    throw new AdministrationRefused(`Give the app a name of 1 to ${NAME_CHARACTERS_MAX} characters`, "name");
  }
  return { ...description, name: visible };
}

function requireAcceptableUri(uri: string): void {
  try {
    requireRedirectUri(uri);
  } catch (error) {
    if (error instanceof Refusal) throw new AdministrationRefused(error.description, "redirectUris");
    throw error;
  }
}
