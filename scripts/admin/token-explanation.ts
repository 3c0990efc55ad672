import type { InstanceRecord } from "#instance/instances.ts";
import type { TokenExplanation } from "#resource-server/authentication/token-explanation.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { servicesOf } from "#services.ts";
import { type Arguments, readStandardInput } from "./arguments.ts";
import { type AdminContext, UsageError } from "./context.ts";

/** The calls that a token can be tried for. */
export const ROUTES = Object.keys(ROUTE_SCOPES) as ClientApiRoute[];

const MARKS = { holds: "ok  ", fails: "FAIL", open: "    " } as const;

/**
 * Result to the token on standard input: on the command line it would stand in the process list and the
 * shell's history.
 *
 * @throws {UsageError} when there is no token, or no such route
 */
export async function explainToken(
  args: Arguments,
  { name }: InstanceRecord,
  { bindings }: AdminContext,
): Promise<TokenExplanation> {
  const { policySnapshots, tokenExplainer } = servicesOf(bindings);
  const wanted = args.option("route");
  const route = wanted === undefined ? ROUTES[0] : ROUTES.find((each) => each === wanted);
  if (route === undefined) throw new UsageError(`There is no call ${wanted}; there are ${ROUTES.join(", ")}`);
  const token = await readStandardInput();
  if (token === "")
    throw new UsageError("Give the token on standard input: npm run admin -- issuer explain … < token.txt");
  const underway: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void underway.push(work);
  const policy = await policySnapshots.of(name, waitUntil);
  if (!policy) throw new UsageError(`There is no instance ${name}`);
  const explanation = await tokenExplainer.explain(
    { issuer: args.option("origin") ?? `https://${bindings.INSTANCE_HOST.replace("{instance}", name)}`, policy },
    {
      token,
      announcedAsExternal: args.flag("header"),
      authTypeHeader: `X-${bindings.SERVICE_NAME}-Auth-Type`,
      route,
      address: args.option("address") ?? "",
      waitUntil,
    },
  );
  await Promise.allSettled(underway);
  return explanation;
}

/** The explanation as people read it at a terminal. */
export function linesOfExplanation({ status, code, message, steps }: TokenExplanation): string[] {
  return [
    code === undefined ? `${status}: let in` : `${status} ${code}: ${message}`,
    ...steps.map(({ title, outcome, text }, index) => `${MARKS[outcome]} ${index + 1} ${title}: ${text}`),
  ];
}
