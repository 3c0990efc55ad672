import { servicesOf } from "#services.ts";
import { D1SpentIds } from "#spent-ids/spent-ids.d1.ts";
import { SpentIds } from "#spent-ids/spent-ids.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { search } from "../support/app-client.ts";
import { Directory } from "../support/directory.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { draft, found, searchAnswer } from "../support/pipeline.ts";
import { ANNOUNCED, keyOf, TestIssuer } from "../support/test-issuer.ts";
import { timeIs } from "../support/time.ts";
import { changeSettings, send } from "../support/world.ts";
import { IDENTIFIERS, type Kind } from "./identifiers.ts";
import { makeSide, type Side } from "./sides.ts";

let acme: Side;
let other: Side;

beforeAll(async () => {
  acme = await makeSide("acme");
  other = await makeSide("other");
});

function searchAt({ origin }: Side, token: string, kind: Kind) {
  return search(token, { query: "both" }, kind === "external token" ? ANNOUNCED : {}, origin);
}

/** Makes a call of the Indexing API that changes nothing. */
function countAt({ origin }: Side, token: string) {
  return send(`${origin}/rest/api/index/getdocumentcount`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ datasource: "wiki" }),
  });
}

/** Returns only status and reason, because the rest names hosts and requests. */
async function refusalOf(response: Response): Promise<unknown> {
  const { error } = await response.json<{ error?: string }>();
  return [response.status, error];
}

describe("what an isolate caches about one instance", () => {
  const searching = ["access token", "external token", "Client API token"] as const;

  it.each([
    ...searching.map((kind) => [kind, (side: Side, token: string) => searchAt(side, token, kind)] as const),
    ["documents token", countAt] as const,
  ])("doesn't let a credential in at another instance: %s", async (kind, ask) => {
    const { make, invent } = IDENTIFIERS[kind];
    const values = await make(other);
    const [token = ""] = values;
    for (let time = 0; time < 2; time += 1) expect((await ask(other, token)).status).toBe(200);
    const [unknown = ""] = await invent([...values]);
    const refusal = await refusalOf(await ask(acme, token));
    expect(refusal).toEqual(await refusalOf(await ask(acme, unknown)));
    expect(refusal).not.toEqual([200, undefined]);
    // Afterwards acme's refusal does not affect the token at its own instance.
    expect((await ask(other, token)).status).toBe(200);
  });

  it("doesn't apply to another instance: settings, display name and signing keys", async () => {
    const metadata = ({ origin }: Side) => send(`${origin}/.well-known/oauth-authorization-server`);
    await changeSettings("other", { oauthEnabled: false, displayName: "Other’s name" });
    expect([(await metadata(other)).status, (await metadata(acme)).status]).toEqual([403, 200]);
    expect(await (await send(`${acme.origin}/`)).text()).not.toContain("Other’s name");
    await changeSettings("other", { oauthEnabled: true });
    const keys = async ({ origin }: Side) =>
      (await (await send(`${origin}/oauth/jwks`)).json<{ keys: { kid: string }[] }>()).keys.map(({ kid }) => kid);
    const [ours, theirs] = [await keys(acme), await keys(other)];
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter((kid) => theirs.includes(kid))).toEqual([]);
  });

  it("doesn't spend an assertion at another instance, even if the client has the same id (a metadata document) at both", async () => {
    const spentIds = new SpentIds(new D1SpentIds(env.DB));
    timeIs(() => 1);
    const assertion = { purpose: "client_assertion", sender: "https://app.example/client.json", id: "jti" } as const;
    const spend = ({ instance }: Side) => spentIds.spend({ ...assertion, instanceId: instance.id, expiresAt: 2 });
    expect([await spend(acme), await spend(other), await spend(acme)]).toEqual([true, true, false]);
  });

  it("doesn't change the issuer that another instance announces", async () => {
    for (const { origin } of [other, acme, other]) {
      const { issuer } = await (await send(`${origin}/.well-known/oauth-authorization-server`)).json<{
        issuer: string;
      }>();
      expect(issuer).toBe(origin);
    }
  });

  it("doesn't let another instance read a person's email and groups by their id", async () => {
    const { seers } = servicesOf(env);
    const person = await knownPerson(other.instance, "ben@acme.example");
    expect(await seers.of(other.instance.id, person.id)).toMatchObject({ email: "ben@acme.example" });
    expect(await seers.of(acme.instance.id, person.id)).toBeNull();
  });

  it("doesn't show anybody at another instance a document that only their group here may see", async () => {
    const document = draft("secret", { title: "Both secrets", permissions: { allowedGroups: ["insiders"] } });
    for (const side of [acme, other]) await side.documents.index(document);
    const directory = new Directory(other.documents);
    await directory.user("ben", "ben@acme.example");
    await directory.group("insiders", ["ben"]);
    expect(await found(other.reader, "secrets", other.origin)).toEqual(["secret"]);
    expect(await found(acme.reader, "secrets", acme.origin)).toEqual([]);
  });

  it("doesn't reveal a document's author to another instance: the same address has another obfuscated id there", async () => {
    const author = { name: "Ada Marlow", email: "ada@acme.example" };
    const idAt = async ({ documents, reader, origin }: Side) => {
      await documents.index(draft("signed", { title: "Signed by somebody", author }));
      const { results } = await searchAnswer(reader, { query: "signed" }, origin);
      return results[0]?.document.metadata.author?.obfuscatedId;
    };
    const ids = [await idAt(acme), await idAt(other)];
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    expect(new Set(ids).size).toBe(2);
  });

  it("doesn't verify a token at another instance: it may have other keys (jwks_uri) for the same issuer", async () => {
    const issuer = await TestIssuer.publishing("rsa");
    const impostor = await TestIssuer.publishing("rsaNext");
    await issuer.register(acme.instance);
    await issuer.register(other.instance, { jwksUri: `${impostor.url}/keys` });
    const forged = (await issuer.forge("rsaNext", keyOf("rsaNext").algorithm)).withClaims({});
    expect((await searchAt(other, await forged, "external token")).status).toBe(200);
    expect((await searchAt(acme, await forged, "external token")).status).toBe(401);
    expect((await searchAt(acme, await issuer.token(), "external token")).status).toBe(200);
  });

  it("doesn't count requests against the rate limits of another instance", async () => {
    const register = ({ origin }: Side) =>
      send(`${origin}/oauth/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "CF-Connecting-IP": "203.0.113.77" },
        body: "{}",
      });
    let answer = await register(other);
    for (let sent = 1; sent < 100 && answer.status !== 429; sent += 1) answer = await register(other);
    expect(answer.status).toBe(429);
    expect((await register(acme)).status).toBe(400);
  });
});
