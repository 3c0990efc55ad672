import { HOSTS } from "#clients/hosts.ts";
import { randomSecret, sha256 } from "#crypto/secrets.ts";
import { decodeJwt } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, basic, postBody, register } from "./app-client.ts";
import { ClientKey } from "./asserting-client.ts";
import { readChallenge } from "./challenge.ts";
import { DocumentHost } from "./document-host.ts";
import { postMcp, type RpcAnswer, rpcRequest, type ToolResult } from "./mcp.ts";
import { expectTokens } from "./oauth-answers.ts";
import { draft, Pipeline } from "./pipeline.ts";
import { recordSession } from "./session-record.ts";
import { makeInstance, ORIGIN, send } from "./world.ts";

const SERVER = `${ORIGIN}/mcp`;

type Json = Readonly<Record<string, unknown>>;
type Fields = readonly (readonly [name: string, value: string])[];

/** A way in which a host becomes a client: by its document, or by registering. */
export type Registration =
  | { readonly by: "document"; readonly document: Json & { readonly client_id: string }; readonly hasKey?: boolean }
  | { readonly by: "registration"; readonly metadata: Json };

/** What a host sends, as far as hosts differ. */
export interface HostScript {
  readonly name: string;
  readonly registrations: readonly Registration[];
  /** Where the browser returns to, with the port if the host uses any free one. */
  readonly redirectUri: string;
  /** @param challenged the scope of the challenge */
  readonly scope: (challenged: string) => string | undefined;
  /** What it adds to the authorization request. */
  readonly authorize?: Fields;
  /** What it sends as `resource` to authorize, to redeem and to refresh. */
  readonly resource?: {
    readonly authorize?: readonly string[];
    readonly token?: string | null;
    readonly refresh?: string | null;
  };
  /**
   * The way whose session is shown in full on a page of docs/sessions. `vitest run --project workerd test/hosts -u` writes the
   * page.
   */
  readonly recorded?: { readonly by: Registration["by"]; readonly page: string };
  /** The version of the protocol that it uses. */
  readonly revision: string;
  /** Additional headers of its requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

const INTRODUCTION = `Every request of a host and every answer, from the URL that a person enters to a permitted answer and a refresh, as \`npm test\` replays them.
Tokens, secrets, ids and the descriptions of tools are elided, and pages are not shown. What the person's browser sends is among them: sign-in and consent.`;

/** Replays a host from the URL that a person entered to a result, for each way in which it becomes a client. */
export function replay(script: HostScript): void {
  describe(script.name, () => {
    let documents: DocumentHost;

    beforeAll(async () => {
      const instance = await makeInstance();
      const text = { mimeType: "text/plain", textContent: "The ferry leaves at nine." };
      await (await Pipeline.of(instance)).index(draft("ferry", { title: "Ferry timetable", body: text }));
    });
    beforeEach(() => {
      documents = new DocumentHost();
    });
    afterEach(() => vi.useRealTimers());

    it.each(script.registrations.map((registration) => [registration.by, registration] as const))(
      "finds its way in by %s, asks and gets an answer",
      async (by, registration) => {
        const isRecorded = script.recorded?.by === by;
        const stop = isRecorded ? recordSession() : () => "";
        const challenged = await discover(script);
        const client = await becomeClient(registration, documents);
        const { code, verifier } = await authorize(script, client, challenged);
        const tokens = await redeem(script, client, code, verifier);
        await converse(script, tokens.access_token);
        const { refresh_token: refreshToken } = tokens;
        const renewed = refreshToken === undefined ? undefined : await refresh(script, client, refreshToken);
        if (isRecorded) {
          const title = `# ${script.name}, by ${by}, ${script.revision}`;
          await expect([title, INTRODUCTION, stop(), ""].join("\n\n")).toMatchFileSnapshot(
            `../../docs/sessions/${script.recorded?.page ?? ""}`,
          );
        }
        if (renewed !== undefined) await converse(script, renewed);
      },
    );
  });
}

/** What the host knows about itself as a client. */
interface Client {
  readonly clientId: string;
  /** Its secret, and whether to send it by HTTP Basic authentication. */
  readonly secret: { readonly value: string; readonly isBasic: boolean } | undefined;
  readonly key: ClientKey | undefined;
}

/** Whether it gets a refresh token: it requests one, or never sends a scope and is known for it. */
function staysConnected({ name, scope }: HostScript): boolean {
  const isKnown = HOSTS.some((host) => host.name === name && host.neverSendsScope === true);
  return scope("")?.includes("offline_access") ?? isKnown;
}

/**
 * Starts from the URL alone: gets the refusal, the resource's metadata and the authorization server's. @returns the challenge's
 * scope
 */
async function discover({ revision, headers = {} }: HostScript): Promise<string> {
  const hello = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "host", version: "1" } };
  const refused = await postMcp(
    undefined,
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: hello }),
    headers,
  );
  expect(refused.status).toBe(401);
  const challenge = readChallenge(refused);
  const resource = await readJson(challenge["resource_metadata"] ?? "");
  expect(resource).toMatchObject({ resource: SERVER, authorization_servers: [ORIGIN] });
  const server = await readJson(`${ORIGIN}/.well-known/oauth-authorization-server`);
  expect(server).toMatchObject({
    issuer: ORIGIN,
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: expect.arrayContaining(["none", "private_key_jwt"]),
    scopes_supported: expect.arrayContaining(["offline_access"]),
  });
  return challenge["scope"] ?? "";
}

async function becomeClient(registration: Registration, documents: DocumentHost): Promise<Client> {
  if (registration.by === "registration") {
    const response = await register(registration.metadata);
    expect(response.status).toBe(201);
    const answer = await response.json<Readonly<Record<string, string | undefined>>>();
    const { client_id = "", client_secret, token_endpoint_auth_method } = answer;
    const isBasic = token_endpoint_auth_method === "client_secret_basic";
    const secret = client_secret === undefined ? undefined : { value: client_secret, isBasic };
    return { clientId: client_id, secret, key: undefined };
  }
  const { document, hasKey = false } = registration;
  documents.publish(document.client_id, document);
  const key = hasKey ? await ClientKey.make("RS256") : undefined;
  if (key) documents.publish(String(document["jwks_uri"]), { keys: [key.publicJwk] });
  return { clientId: document.client_id, secret: undefined, key };
}

async function authorize(script: HostScript, { clientId }: Client, challenged: string) {
  const verifier = randomSecret();
  const state = randomSecret();
  const scope = script.scope(challenged);
  const query = new URLSearchParams([
    ["response_type", "code"],
    ["client_id", clientId],
    ["redirect_uri", script.redirectUri],
    ["code_challenge", await sha256(verifier)],
    ["code_challenge_method", "S256"],
    ["state", state],
    ...(scope === undefined ? [] : [["scope", scope]]),
    ...(script.resource?.authorize ?? [SERVER]).map((resource) => ["resource", resource]),
    ...(script.authorize ?? []).map(([name, value]) => [name, value]),
  ]);
  const app = AppClient.of(clientId, script.redirectUri);
  const browser = app.browser();
  const consent = await app.toConsent(browser, "ben", `${ORIGIN}/oauth/authorize?${query.toString()}`);
  const answer = await browser.press(consent, { name: "decision", value: "allow" });
  if (!("leftFor" in answer)) throw new Error(`consent answered ${answer.status}: ${answer.html}`);
  const callback = new URL(answer.leftFor);
  expect(answer.leftFor.startsWith(script.redirectUri)).toBe(true);
  expect(Object.fromEntries(callback.searchParams)).toEqual({ code: expect.any(String), state, iss: ORIGIN });
  return { code: callback.searchParams.get("code") ?? "", verifier };
}

async function redeem(script: HostScript, client: Client, code: string, verifier: string) {
  const resource = script.resource?.token === undefined ? SERVER : script.resource.token;
  const tokens = await expectTokens(
    await requestToken(
      client,
      { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: script.redirectUri },
      resource,
    ),
  );
  expect([SERVER, ORIGIN]).toContain(decodeJwt(tokens.access_token).aud);
  expect(tokens.scope.split(" ").includes("offline_access")).toBe(staysConnected(script));
  expect(tokens.refresh_token !== undefined).toBe(staysConnected(script));
  return tokens;
}

/** @returns the next access token */
async function refresh(script: HostScript, client: Client, refreshToken: string): Promise<string> {
  const resource = script.resource?.refresh === undefined ? SERVER : script.resource.refresh;
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
  const answers = [await requestToken(client, fields, resource), await requestToken(client, fields, resource)];
  // Two processes of one host refresh with the same token: both get the same successor.
  const [one, other] = [await expectTokens(answers[0] as Response), await expectTokens(answers[1] as Response)];
  expect(other.refresh_token).toBe(one.refresh_token);
  return one.access_token;
}

async function requestToken(client: Client, fields: Readonly<Record<string, string>>, resource: string | null) {
  const { clientId, secret, key } = client;
  const proof = key ? await key.authenticates(clientId) : {};
  const body = new URLSearchParams({
    ...(secret?.isBasic ? {} : { client_id: clientId }),
    ...(secret === undefined || secret.isBasic ? {} : { client_secret: secret.value }),
    ...proof,
    ...fields,
    ...(resource === null ? {} : { resource }),
  });
  return postBody(
    "/oauth/token",
    body.toString(),
    secret?.isBasic ? { Authorization: basic(clientId, secret.value) } : {},
  );
}

/** Initializes as its version does, lists the tools, searches, and reads what it found. */
async function converse({ revision, headers = {} }: HostScript, token: string): Promise<void> {
  const ask = async (method: string, params: Json = {}) => {
    const request = rpcRequest(revision, method, params);
    const response = await postMcp(token, JSON.stringify(request.body), { ...headers, ...request.headers });
    expect(response.status).toBe(200);
    const { result } = await response.json<RpcAnswer>();
    return result as Json;
  };
  if (revision === "2026-07-28") expect((await ask("server/discover"))["supportedVersions"]).toContain(revision);
  else {
    const hello = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "host", version: "1" } };
    expect((await ask("initialize", hello))["protocolVersion"]).toBe(revision);
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect(
      (await postMcp(token, JSON.stringify(initialized), { ...headers, "MCP-Protocol-Version": revision })).status,
    ).toBe(202);
    const stream = await send("/mcp", { headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" } });
    expect(stream.status).toBe(405);
  }
  const { tools } = (await ask("tools/list")) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["search", "fetch"]));
  const found = (await ask("tools/call", { name: "search", arguments: { query: "ferry" } })) as unknown as ToolResult;
  const { results } = found.structuredContent as { results: { id: string }[] };
  const read = (await ask("tools/call", { name: "fetch", arguments: { id: results[0]?.id } })) as unknown as ToolResult;
  expect(read.structuredContent).toMatchObject({
    title: "Ferry timetable",
    text: expect.stringContaining("\nThe ferry leaves at nine.\n"),
  });
}

async function readJson(url: string): Promise<Json> {
  const response = await send(url);
  expect(response.status).toBe(200);
  return response.json<Json>();
}

/** What all hosts send when they register, and publish in their documents. */
export const USUAL = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** Adds the scope that requests a refresh token, as hosts do if the server lists it. */
export const withOfflineAccess = (challenged: string) => `${challenged} offline_access`;
