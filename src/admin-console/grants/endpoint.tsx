import { THROUGH_APP } from "#grants/grant.ts";
import { consoleForm, type ConsolePaths, readList, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { scopesInWords } from "#admin-console/scope-options.ts";
import { GRANT_LIST } from "#grants/grant-list.ts";
import { ApiError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import type { ListedGrant } from "#grants/grants.ts";
import { GrantsPage, revokeGrantQuestion } from "./views/grants-page.tsx";

/** The apps that have access, searchable by person or app. */
export const GRANT_PATHS: ConsolePaths = {
  "/grants": {
    page: async (c) => {
      const { instance, services } = c.var;
      const { items, list } = await readList(c, GRANT_LIST, (_id, query) =>
        services.grants.list(instance.policy, query),
      );
      return render(c, <GrantsPage list={list} grants={items.map(toShown)} />);
    },
  },
  "/grants/:id/revoke": consoleForm({
    act: "grants.revoke",
    button: "Revoke",
    about: requireGrant,
    question: (_c, grant) => revokeGrantQuestion(toShown(grant)),
    decide: ({ administration }, grant) => administration.grants.revoke(grant),
    leadsTo: "/grants",
    says: {
      revoked: "Access revoked. Its tokens stop working within 10 seconds.",
      gone: "That access had already ended.",
    },
  }),
};

async function requireGrant(c: ConsoleContext): Promise<ListedGrant> {
  const { instance, services } = c.var;
  const grant = await services.grants.find(instance.policy, c.req.param("id") ?? "");
  if (grant) return grant;
  throw new ApiError("not_found", {
    reason: "grant_unknown",
    description: "There is no such grant, or it has ended: search for it again",
  });
}

function toShown(grant: ListedGrant) {
  return { ...grant, abilities: scopesInWords(parseScopes(grant.scope)), ...decisionOf(grant) };
}

/** Says who decided a grant, and how the app gets access again. A service account is its own person and client. */
function decisionOf({ assertedBy, personId, clientId }: ListedGrant) {
  if (assertedBy === null) return { decided: "The person, on the consent page", again: "It can ask them again." };
  if (assertedBy.startsWith(THROUGH_APP)) {
    const app = assertedBy.slice(THROUGH_APP.length);
    return {
      decided: `The app ${app} passed on its access. The person was not asked`,
      again: "It can get access again until you end the other app’s access, or no longer let it act with that.",
    };
  }
  if (personId !== clientId) {
    return {
      decided: `Identity provider ${assertedBy}. The person was not asked`,
      again:
        "The identity provider can give it access again, without asking them, until you remove the app from the provider’s list.",
    };
  }
  return {
    decided: `Service account, with ${assertedBy === clientId ? "its own key" : `a token of ${assertedBy}`}`,
    again: "It can get access again until you disable the service account.",
  };
}
