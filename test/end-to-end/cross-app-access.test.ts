import { Client, CrossAppAccessProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { importJWK, SignJWT } from "jose";
import { inject, describe, expect, it } from "vitest";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { addressOf } from "../../scripts/local/acme.ts";
import { GATEHOUSE_FOLDER, ORIGIN } from "../support/node/gatehouse.ts";
import { publishIssuer } from "../support/node/issuer-token.ts";

/** Runs an administrator's command, and returns its result for programs. */
async function administer(...command: readonly string[]): Promise<Record<string, unknown>> {
  const admin = openLocalAdmin(GATEHOUSE_FOLDER, addressOf(ORIGIN));
  try {
    return { ...(await runAdmin([...command], { ...admin, print: () => undefined })) };
  } finally {
    await admin.dispose();
  }
}

describe("the MCP SDK's provider for enterprise-managed authorization (ID-JAG)", () => {
  it("connects to /mcp and searches as the person whom the identity provider asserts, without a consent page", async () => {
    const made = await administer(
      "client",
      "create",
      "acme",
      "--name",
      "Cross app",
      "--redirect-uri",
      "https://app.example/cb",
      "--confidential",
      "--scope",
      "SEARCH CHAT offline_access",
    );
    const {
      app: { id: clientId },
      secret: clientSecret,
    } = made as { app: { id: string }; secret: string };
    const idp = await publishIssuer();
    const issuer = ["--issuer", idp, "--accepts", "id-jags", "--client-id", clientId, "--email-domain", "acme.example"];
    await administer("issuer", "add", "acme", ...issuer);
    const key = inject("issuers").keys["rsa"];
    if (!key) throw new Error("there is no key rsa");

    const authProvider = new CrossAppAccessProvider({
      clientId,
      clientSecret,
      expectedIssuer: ORIGIN,
      assertion: async ({ authorizationServerUrl, resourceUrl, scope }) =>
        new SignJWT({
          client_id: clientId,
          resource: resourceUrl,
          scope,
          email: "ben@acme.example",
          email_verified: true,
        })
          .setProtectedHeader({ alg: key.algorithm, typ: "oauth-id-jag+jwt", kid: key.privateJwk.kid })
          .setIssuer(idp)
          .setSubject("00u-ben")
          .setAudience(authorizationServerUrl)
          .setJti(crypto.randomUUID())
          .setIssuedAt()
          .setExpirationTime("5m")
          .sign(await importJWK(key.privateJwk, key.algorithm)),
    });
    const client = new Client({ name: "cross-app-test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), { authProvider }));
    const { content } = await client.callTool({ name: "search", arguments: { query: "handbook" } });
    expect(JSON.stringify(content)).toContain("Handbook for everybody");
    await client.close();
    expect(authProvider.tokens()).toMatchObject({ token_type: "Bearer", scope: "SEARCH" });
    expect(authProvider.tokens()).not.toHaveProperty("refresh_token");
  });
});
