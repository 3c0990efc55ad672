import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import {
  changeSettings,
  issueClientApiToken,
  issueIndexingToken,
  makeInstance,
  ORIGIN,
  send,
} from "../support/world.ts";

const METADATA = `${ORIGIN}/.well-known/oauth-protected-resource`;

let instance: InstanceRecord;
let own: string;

beforeAll(async () => {
  instance = await makeInstance();
  own = (await (await AppClient.registered()).tokens()).access_token;
});

beforeEach(() => changeSettings("acme", { oauthEnabled: true }));

describe("challenges of the Client API (RFC 6750 §3, RFC 9728 §5.1)", () => {
  it("have only resource_metadata and scope if no credentials were sent", async () => {
    const response = await search(undefined);
    expect(response.status).toBe(401);
    expect(readChallenge(response)).toEqual({ resource_metadata: METADATA, scope: "SEARCH" });
    expect(readChallenge(await search(undefined, undefined, { Authorization: "" }))).not.toHaveProperty("error");
  });

  it("come with every 401 and 403, well-formed, with resource_metadata, the route's scope and the error", async () => {
    const refused = {
      "a malformed header": await search("two tokens"),
      "an unknown secret": await search("nonsense"),
      "a broken own token": await search(`${own.slice(0, -4)}AAAA`),
      "an identity provider's token that is no JWT": await search("nonsense", {}, { "X-Gatehouse-Auth-Type": "OAUTH" }),
      "a token without the scope": await search(await issueClientApiToken(instance, "ben@acme.example", "CHAT")),
    };
    for (const [what, response] of Object.entries(refused)) {
      expect([what, readChallenge(response)]).toEqual([
        what,
        {
          resource_metadata: METADATA,
          scope: "SEARCH",
          error: response.status === 401 ? "invalid_token" : "insufficient_scope",
          error_description: expect.any(String),
        },
      ]);
    }
  });

  it("come with the 403 while OAuth is off", async () => {
    await changeSettings("acme", { oauthEnabled: false });
    const response = await search(own);
    expect(response.status).toBe(403);
    expect(readChallenge(response)).toMatchObject({ resource_metadata: METADATA, scope: "SEARCH" });
  });

  it("point to the metadata of the request's origin", async () => {
    const response = await search(undefined, {}, {}, "https://acme-be.example.com");
    expect(readChallenge(response)["resource_metadata"]).toBe(
      "https://acme-be.example.com/.well-known/oauth-protected-resource",
    );
  });

  it("never ask for offline_access", async () => {
    for (const token of [undefined, "nonsense"]) {
      expect((await search(token)).headers.get("WWW-Authenticate")).not.toContain("offline_access");
    }
  });

  it("contain nothing that the caller wrote in the token", async () => {
    const response = await search('x", error="none');
    expect(response.status).toBe(401);
    expect(readChallenge(response)["error"]).toBe("invalid_token");
  });

  it("are not sent if the token is valid", async () => {
    for (const body of [{ query: "token" }, {}]) {
      const response = await search(own, body);
      expect([200, 400]).toContain(response.status);
      expect(response.headers.get("WWW-Authenticate")).toBeNull();
    }
  });
});

describe("challenges of the Indexing API, which accepts no OAuth token", () => {
  it("point to no authorization server", async () => {
    const pipeline = new Pipeline(own);
    for (const headers of [{}, { "X-Gatehouse-Auth-Type": "OAUTH" }, { Authorization: "" }]) {
      const response = await pipeline.post("/api/index/v1/indexdocument", { document: draft("a") }, headers);
      expect(response.status).toBe(401);
      expect(readChallenge(response)).not.toHaveProperty("resource_metadata");
      expect(readChallenge(response)["realm"]).toBe("Indexing API");
    }
  });

  it("have an error only if credentials were sent", async () => {
    const without = await send("/api/index/v1/indexdocument", { method: "POST" });
    expect(readChallenge(without)).toEqual({ realm: "Indexing API" });
    const narrow = new Pipeline(await issueIndexingToken(instance, "documents:wiki"));
    const uncovered = await narrow.post("/api/index/v1/indexdocument", {
      document: draft("a", { datasource: "finance" }),
    });
    expect([uncovered.status, readChallenge(uncovered)["error"]]).toEqual([401, "invalid_token"]);
  });
});

describe("refusals of the APIs", () => {
  it("are JSON with an error code, a message and the request's id, and must not be cached", async () => {
    const refused = [await search(undefined), await search(own, {}), await send("/rest/api/v1/nothing")];
    expect(refused.map((response) => response.status)).toEqual([401, 400, 404]);
    for (const response of refused) {
      expect(response.headers.get("Content-Type")).toMatch(/^application\/json\b/);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(await readRefusal(response)).toEqual({
        error: expect.stringMatching(/^[a-z_]+$/),
        message: expect.stringMatching(/\S/),
        requestId: response.headers.get("X-Request-Id"),
      });
    }
  });

  it("don't say why a token is invalid", async () => {
    const text = await (await search(`${own.slice(0, -4)}AAAA`)).text();
    expect(text).not.toMatch(/signature|kid|token_/);
  });
});
