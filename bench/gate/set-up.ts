import { readSchema, recordOf } from "../../scripts/admin/schema-files.ts";
import type { IssuedTokens, SetupRequest } from "./messages.ts";
import type { BenchWorkerd } from "./workerd.ts";

/**
 * Creates the tables, the instance "acme" with one person, and its tokens.
 *
 * @param origin the origin that requests name
 * @param identityProvider the issuer whose tokens the instance accepts
 */
export async function setUp(
  workerd: BenchWorkerd,
  origin: string,
  identityProvider: Pick<SetupRequest["external"], "issuer" | "jwksUri" | "clientId">,
  {
    email = "ben@acme.example",
    poolSize = 0,
    ...others
  }: Partial<Pick<SetupRequest, "email" | "poolSize" | "accounts" | "signsIn" | "tokenRequests">> = {},
): Promise<IssuedTokens> {
  const schema = await readSchema();
  const request: SetupRequest = {
    schema: [...schema.whole, recordOf(schema)],
    origin,
    instance: "acme",
    email,
    poolSize,
    external: { ...identityProvider, audience: origin },
    ...others,
  };
  return workerd.ask<IssuedTokens>("setup", request);
}
