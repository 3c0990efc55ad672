import { parseIndexingScope } from "#protocol/indexing-scope.ts";
import type { TokenPurpose } from "./token-form.ts";

/** A command that shows how to use a new token. */
export interface TokenExample {
  readonly command: string;
  /** What it does, or what to replace in it. */
  readonly hint: string | undefined;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** What it does, or what to replace in it. */
  readonly hint?: string;
}

/** Returns an example command for a token, which the administrator who creates it can run. */
export function exampleOf(
  { issuer, email }: { readonly issuer: string; readonly email: string },
  purpose: TokenPurpose,
  scopes: readonly string[],
): TokenExample {
  const call = callOf(purpose, scopes, email);
  return { command: commandOf(issuer, call), hint: call.hint };
}

const OTHER_CALL = { hint: "Its scopes don’t cover this call: choose another one at /reference" };

/** Returns a call for this token, with a hint if something in it must be replaced. */
function callOf(purpose: TokenPurpose, scopes: readonly string[], email: string): Call {
  const target = scopes.map((scope) => parseIndexingScope(scope)?.target).find((name) => name !== "global_scope");
  switch (purpose) {
    case "person":
      return {
        method: "POST",
        path: "/rest/api/v1/search",
        body: { query: "holiday", pageSize: 5 },
        ...(scopes.includes("SEARCH") ? {} : OTHER_CALL),
      };
    case "metadata":
      return {
        method: "PUT",
        path: `/rest/api/index/document/DOCUMENT/custom-metadata/${target ?? "GROUP"}`,
        body: { customMetadata: [{ name: "KEY", value: "VALUE" }] },
        hint:
          target === undefined
            ? "Replace DOCUMENT (an id such as wiki:1), GROUP, KEY and VALUE"
            : "Replace DOCUMENT (an id such as wiki:1), KEY and VALUE",
      };
    case "documents":
      return {
        method: "POST",
        path: "/rest/api/index/indexdocument",
        body: {
          document: {
            datasource: target ?? "example",
            id: "example",
            title: "An example",
            viewURL: "https://wiki.example.com/example",
            body: { mimeType: "text/plain", textContent: "Words to search for" },
            permissions: { allowedUsers: [{ email }] },
          },
        },
        hint: `It adds a document that only ${email} can find`,
      };
    case "admin":
      return {
        method: "GET",
        path: "/rest/api/admin/v1/apps",
        ...(scopes.includes("admin:read") ? {} : OTHER_CALL),
      };
    case "directory":
    default:
      return { method: "GET", path: "/scim/v2/ServiceProviderConfig" };
  }
}

function commandOf(issuer: string, { method, path, body }: Call): string {
  return [
    `curl -X ${method} '${issuer}${path}'`,
    `  -H "Authorization: Bearer $GATEHOUSE_TOKEN"`,
    ...(body === undefined
      ? []
      : [
          `  -H 'Content-Type: application/json'`,
          // Otherwise an apostrophe in a name or address would end the shell's quoted string.
          `  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ].join(" \\\n");
}
