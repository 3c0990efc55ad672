import type { InstanceEnv } from "#instance/middleware.ts";
import { type ContextOf, readForm, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import type { ClientRequest } from "./client-authentication.ts";

/**
 * Reads a request that a client makes in its own name.
 *
 * @throws what {@link readForm} throws
 */
export async function readClientRequest(c: ContextOf<InstanceEnv>): Promise<ClientRequest> {
  return {
    parameters: await readForm(c),
    authorization: c.req.header("authorization"),
    waitUntil: waitUntil(c),
    beforeStranger: () => requireWithinRate(c, "unknown-client"),
  };
}
