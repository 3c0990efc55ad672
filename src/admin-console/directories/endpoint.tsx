import { render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { LIST_LIMIT_MOST, readListQuery } from "#platform/listing.ts";
import { epochSeconds } from "#platform/clock.ts";
import { parseDirectoryScope } from "#protocol/directory-scope.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { DirectoriesPage } from "./views/directories-page.tsx";

/** Active SCIM tokens, those that expire first at the top. */
const SCIM_TOKENS = readListQuery(
  TOKEN_LIST,
  new Map([
    ["kind", "scim"],
    ["state", "running"],
    ["sort", "expiresAt"],
    ["limit", String(LIST_LIMIT_MOST)],
  ]),
);

/** Shows how many users and groups each directory provisions, and its tokens. */
export async function directoriesPage(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId, settings } = instance.policy;
  const [counts, { items: tokens }] = await Promise.all([
    services.directoryGroups.counts(instanceId),
    services.issuedTokens.list(instanceId, SCIM_TOKENS, epochSeconds()),
  ]);
  const tokensOf = Map.groupBy(tokens, ({ scopes: [scope = ""] }) => parseDirectoryScope(scope) ?? "");
  const counted = new Map(counts.map((each) => [each.name, each]));
  const names = [...new Set([...counted.keys(), ...tokensOf.keys()])].toSorted();
  return render(
    c,
    <DirectoriesPage
      scimUrl={`${instance.issuer}/scim/v2`}
      groupsOf={settings.provisionedGroups}
      directories={names.map((name) => {
        const own = tokensOf.get(name) ?? [];
        const { users = 0, groups = 0 } = counted.get(name) ?? {};
        const uses = own.map(({ lastUsedAt }) => lastUsedAt ?? 0);
        return {
          name,
          users,
          groups,
          tokens: own.length,
          expiresAt: own.at(-1)?.expiresAt ?? null,
          lastCallAt: Math.max(0, ...uses) || null,
        };
      })}
    />,
  );
}
