import { render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext, ConsoleEnv, ConsoleFormEnv } from "#admin-console/http.ts";
import { statusOf } from "#admin-console/form-values.ts";
import { waitUntil } from "#platform/http.ts";
import { callerAddress } from "#platform/rate-limit.ts";
import type { TokenExplanation } from "#resource-server/authentication/token-explanation.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import type { FormState } from "#platform/described-members.ts";
import type { Context } from "hono";
import { TestTokenPage } from "./views/test-token-page.tsx";

const ROUTES = Object.keys(ROUTE_SCOPES) as ClientApiRoute[];

export function testTokenPage(c: Context<ConsoleEnv>) {
  return show(c, { values: { announced: "on", route: ROUTES[0] ?? "" }, errors: {} });
}

/** Checks the token and then discards it: no page shows it, and no log or cache contains it. */
export async function testToken(c: Context<ConsoleFormEnv>): Promise<Response> {
  const { form, instance, services } = c.var;
  const token = form.one("token")?.trim() ?? "";
  const announced = form.one("announced") === "on";
  const route = ROUTES.find((each) => each === form.one("route")) ?? ROUTES[0];
  const values = { announced: announced ? "on" : "", route: route ?? "" };
  if (token === "" || route === undefined) return show(c, { values, errors: { token: "Paste a token" } });
  const explanation = await services.tokenExplainer.explain(instance, {
    token,
    announcedAsExternal: announced,
    authTypeHeader: services.serviceWords.authTypeHeader,
    route,
    address: callerAddress(c),
    waitUntil: waitUntil(c),
  });
  return show(c, { values, errors: {} }, explanation);
}

function show(c: ConsoleContext, state: FormState, explanation?: TokenExplanation) {
  return render(
    c,
    <TestTokenPage
      state={state}
      header={`${c.var.services.serviceWords.authTypeHeader}: OAUTH`}
      routes={ROUTES.map((route) => ({ value: route, label: `${route} (${ROUTE_SCOPES[route]})` }))}
      explanation={explanation}
    />,
    statusOf(state),
  );
}
