import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, REDIRECT_URI } from "../support/app-client.ts";
import { changeSettings, makeInstance, ORIGIN, send } from "../support/world.ts";

const PATH = "/.well-known/oauth-authorization-server";

type Metadata = Readonly<Record<string, string | string[] | undefined>>;

async function metadataOf(origin: string): Promise<Metadata> {
  const response = await send(origin + PATH);
  expect(response.status).toBe(200);
  return response.json<Metadata>();
}

describe("authorization server metadata (RFC 8414)", () => {
  beforeAll(async () => {
    await makeInstance();
    await makeInstance("other");
  });

  it("is JSON that any web page may read", async () => {
    const response = await send(PATH, { headers: { Origin: "https://app.example" } });
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
  });

  it.each([
    ORIGIN,
    "http://other.localhost",
    "http://acme.localhost:8787",
    "http://localhost:8787",
    "https://acme-be.example.com",
    "https://other-be.example.com",
  ])("names %s as the issuer if it is fetched from there (§3.3)", async (origin) => {
    const metadata = await metadataOf(origin);
    expect(metadata["issuer"]).toBe(origin);
    for (const [name, value] of Object.entries(metadata)) {
      if (/_endpoint$|_uri$/.test(name)) expect(String(value).startsWith(`${origin}/`)).toBe(true);
    }
  });

  it("names what RFC 8414 §2 requires, and S256 as the only challenge method", async () => {
    const metadata = await metadataOf(ORIGIN);
    expect(metadata["code_challenge_methods_supported"]).toEqual(["S256"]);
    expect(metadata["response_types_supported"]).toEqual(["code"]);
    expect(metadata["authorization_response_iss_parameter_supported"]).toBe(true);
    expect(metadata["grant_types_supported"]).toEqual(expect.arrayContaining(["authorization_code", "refresh_token"]));
    expect(metadata["grant_types_supported"]).not.toContain("implicit");
    expect(metadata["grant_types_supported"]).not.toContain("password");
  });

  it("names endpoints that exist", async () => {
    for (const [name, value] of Object.entries(await metadataOf(ORIGIN))) {
      if (!/_endpoint$|_uri$/.test(name) || typeof value !== "string") continue;
      const get = await send(value);
      await get.body?.cancel();
      const post = await send(value, { method: "POST", body: "" });
      await post.body?.cancel();
      expect({ name, answers: [get.status, post.status].every((status) => status === 404) }).toEqual({
        name,
        answers: false,
      });
      expect(Math.max(get.status, post.status)).toBeLessThan(500);
    }
  });

  it("names authentication methods that clients can register with", async () => {
    const methods = (await metadataOf(ORIGIN))["token_endpoint_auth_methods_supported"];
    expect(methods).toContain("none");
    for (const method of methods ?? []) {
      const app = await AppClient.registered({
        token_endpoint_auth_method: method,
        redirect_uris: [REDIRECT_URI],
        ...(method === "private_key_jwt" ? { jwks_uri: "https://app.example/jwks.json" } : {}),
      });
      expect(app.secret !== undefined).toBe(method.startsWith("client_secret_"));
    }
  });

  it("names the algorithms of assertions for each endpoint that accepts them, and never none (§2)", async () => {
    const metadata = await metadataOf(ORIGIN);
    for (const endpoint of ["token", "revocation", "introspection"]) {
      expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toContain("private_key_jwt");
      expect(metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(["ES256", "PS256", "RS256"]);
    }
    expect(metadata["introspection_endpoint_auth_methods_supported"]).not.toContain("none");
  });

  it("names the registration endpoint only while registration is open", async () => {
    expect(await metadataOf(ORIGIN)).toHaveProperty("registration_endpoint", `${ORIGIN}/oauth/register`);
    await changeSettings("acme", { registration: "off" });
    expect(await metadataOf(ORIGIN)).not.toHaveProperty("registration_endpoint");
    await changeSettings("acme", { registration: "open" });
  });
});
