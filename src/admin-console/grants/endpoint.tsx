import { type ConsoleContext, pages } from "#admin-console/http.ts";
import { describeScopes } from "#consents/scope-words.ts";
import { doneOf } from "#pages/page-middleware.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import type { ListedGrant } from "#grants/grant-register.ts";
import { GrantsPage, RevokeGrantPage } from "./views/grants-page.tsx";

const GRANTS_PER_PAGE = 50;

const DONE = {
  revoked: "The access is ended. Within 10 seconds its tokens find nothing more.",
  gone: "That access had ended already.",
};

/** GET /admin/grants: who allowed what, by person or app. */
export const grantsPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const query = readQuery(c);
  const search = { person: query.all("person")[0] ?? "", client: query.all("client")[0] ?? "" };
  const [createdAt = "", id = ""] = (query.all("before")[0] ?? "").split(".");
  const before = /^\d{1,12}$/.test(createdAt) ? { createdAt: Number(createdAt), id } : null;
  const grants = await services.grantRegister.list(instance.policy.instanceId, search, before, GRANTS_PER_PAGE + 1);
  return c.html(
    <GrantsPage
      frame={c.var.console}
      done={doneOf(c, DONE)}
      search={{ values: search, errors: {} }}
      grants={grants.slice(0, GRANTS_PER_PAGE).map(toShown)}
      hasMore={grants.length > GRANTS_PER_PAGE}
    />,
  );
});

/** GET /admin/grants/:id/revoke */
export const askToRevokeGrant = pages.createHandlers(async (c) => {
  const grant = await requireGrant(c);
  return c.html(<RevokeGrantPage frame={c.var.console} grant={toShown(grant)} />);
});

/** POST /admin/grants/:id/revoke */
export const revokeGrant = pages.createHandlers(async (c) => {
  const { instance, services, session } = c.var;
  const { instanceId, name } = instance.policy;
  const grant = await requireGrant(c);
  const revoked = await services.grantRegister.revoke(instanceId, grant, session.person.id);
  services.policySnapshots.expire(name);
  return c.redirect(`/admin/grants?done=${revoked ? "revoked" : "gone"}`, 303);
});

async function requireGrant(c: ConsoleContext): Promise<ListedGrant> {
  const { instance, services } = c.var;
  const grant = await services.grantRegister.find(instance.policy.instanceId, c.req.param("id") ?? "");
  if (grant) return grant;
  throw new ApiError("not_found", {
    reason: "grant_unknown",
    description: "There is no such access here, or it has ended: look it up again",
  });
}

function toShown(grant: ListedGrant) {
  return { ...grant, abilities: describeScopes(grant.scope.split(" ")).map(({ title }) => title) };
}
