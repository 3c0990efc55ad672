import { readTransmitter } from "#signals/transmitter.ts";
import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { accepted, difference, type Json, type Named, type PlannedChange, without } from "./difference.ts";
import { requireSecret, type SecretOf } from "./secrets.ts";

const HAS_SECRET = "hasAuthorizationSecret";

/** Members that each instance sets itself. */
const OF_NO_FILE = new Set(["createdAt", "changedAt", "verifiedAt"]);

/**
 * Exports the systems that can sign people out, by issuer. The file only says whether one sends a header, not which.
 */
export async function exportTransmitters(api: AdminApi): Promise<Named> {
  const transmitters: [string, Json][] = [];
  for await (const each of api.items<Json>("/transmitters")) {
    transmitters.push([String(each["issuer"]), without(new Set([...OF_NO_FILE, "issuer"]), each)]);
  }
  return Object.fromEntries(transmitters);
}

/**
 * @param declared transmitters; `authorizationSecretEnv` names the environment variable with the header, which the file never
 * contains
 * @throws {UsageError} for a file whose state isn't possible: without its header, a transmitter would accept more than before
 */
export async function planTransmitters(api: AdminApi, declared: Named, secretOf: SecretOf): Promise<PlannedChange[]> {
  const plan: PlannedChange[] = [];
  for (const [issuer, { authorizationSecretEnv: variable, ...wanted }] of Object.entries(declared)) {
    const called = `transmitters.${issuer}`;
    const path = at`/transmitters/${issuer}`;
    const { body: stored, version } = await api.find(path);
    const before = stored as Json | undefined;
    const given = without(new Set([HAS_SECRET]), { ...(before && without(OF_NO_FILE, before)), ...wanted });
    const hadSecret = before?.[HAS_SECRET] === true;
    const hasSecret = wanted[HAS_SECRET] ?? (hadSecret || variable !== undefined);
    if (typeof hasSecret !== "boolean" || (variable !== undefined && !hasSecret)) {
      throw new UsageError(`${called}.${HAS_SECRET} must be true or false, and true with authorizationSecretEnv`);
    }
    const described = accepted(called, () => readTransmitter({ ...given, issuer }));
    const after = without(new Set(["issuer"]), described);
    const lines = difference(called, before, { ...after, [HAS_SECRET]: hasSecret });
    if (lines.length === 0) continue;
    const member = `${called}.authorizationSecretEnv`;
    const named = hasSecret && !hadSecret ? requireSecret(member, variable, secretOf) : undefined;
    const authorizationSecret = hasSecret ? named?.secret : null;
    const body = { ...after, ...(authorizationSecret === undefined ? {} : { authorizationSecret }) };
    plan.push({ lines: named ? [...lines, named.line] : lines, method: "PUT", path, body, version });
  }
  return plan;
}
