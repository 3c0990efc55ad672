/** `npm run demo`: an app that nobody registered finds its way in and searches as two people, step by step. */
import * as oauth from "openid-client";
import { people } from "./local/people.ts";
import { ScriptedBrowser } from "./local/scripted-browser.ts";
import { explainDemoFailure, requireRunning } from "./demo/preconditions.ts";
import { heading, received, sent, tokenParts } from "./demo/transcript.ts";

/** Where the app would listen; nothing has to, for the scripted browser stops before it goes there. */
const REDIRECT_URI = "http://127.0.0.1:33418/callback";

const QUERY = "token";

/** Two people whose groups differ, so that the same words find different documents. */
const SEARCHERS = ["ben@acme.example", "carla@acme.example"];

const baseUrl = process.argv[2] ?? "http://localhost:8787";

try {
  await requireRunning(baseUrl);
  await play();
} catch (error) {
  console.error(`\n${explainDemoFailure(error, baseUrl)}`);
  process.exitCode = 1;
}

async function play(): Promise<void> {
  heading("1. The app calls the API without a token, and is told where the way in begins");
  const searchUrl = `${baseUrl}/rest/api/v1/search`;
  const refused = await fetch(searchUrl, { method: "POST" });
  sent(`POST ${searchUrl}`);
  received(`${refused.status}`, `WWW-Authenticate: ${refused.headers.get("WWW-Authenticate") ?? ""}`);
  await refused.body?.cancel();

  heading("2. It reads the resource's metadata (RFC 9728), then the authorization server's (RFC 8414)");
  const resourceUrl = `${baseUrl}/.well-known/oauth-protected-resource`;
  const resource = (await (await fetch(resourceUrl)).json()) as { resource: string; authorization_servers: string[] };
  sent(`GET ${resourceUrl}`);
  received(`authorization_servers: ${resource.authorization_servers.join(", ")}`);

  heading("3. It registers itself (RFC 7591); openid-client does discovery and registration in one call");
  const config = await oauth.dynamicClientRegistration(
    new URL(resource.authorization_servers[0] ?? baseUrl),
    {
      client_name: "Demonstration app",
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      scope: "SEARCH offline_access openid profile",
    },
    oauth.None(),
    { algorithm: "oauth2", execute: [oauth.allowInsecureRequests] },
  );
  const { client_id: clientId, scope } = config.clientMetadata();
  const registeredScope = typeof scope === "string" ? scope : "";
  sent(`POST ${config.serverMetadata().registration_endpoint ?? ""}`, 'scope: "SEARCH offline_access openid profile"');
  received(`client_id: ${clientId}`, `scope: "${registeredScope}"`);

  const found = new Map<string, string[]>();
  for (const [index, email] of SEARCHERS.entries()) {
    const person = people.find((candidate) => candidate.email === email) ?? people[0];
    if (!person) throw new Error("there is nobody to sign in");
    heading(`${4 + index}. ${person.name} (${person.groups.join(", ") || "no group"}) signs in, allows, and searches`);
    const tokens = await authorize(config, resource.resource, person.sub);
    found.set(person.name, await search(searchUrl, tokens.access_token));
    if (index === SEARCHERS.length - 1) await refresh(config, tokens);
  }

  heading(`7. The same words, two people: what "${QUERY}" finds`);
  compare(found);
}

async function authorize(config: oauth.Configuration, resource: string, sub: string) {
  const codeVerifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: "SEARCH offline_access",
    resource,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  });
  sent(`the browser to ${url.origin}${url.pathname}`, [...url.searchParams.keys()].join(", "));
  const browser = new ScriptedBrowser(REDIRECT_URI);
  const picker = await browser.visit(url.href);
  if ("leftFor" in picker) throw new Error(`the sign-in was refused: ${picker.leftFor}`);
  const consent = await browser.press(picker, { name: "sub", value: sub });
  if ("leftFor" in consent) throw new Error(`the consent page did not come: ${consent.leftFor}`);
  const answer = await browser.press(consent, { name: "decision", value: "allow" });
  for (const line of browser.history) received(line);
  if (!("leftFor" in answer)) throw new Error(`consent did not lead back to the app: ${answer.status}`);
  const callback = new URL(answer.leftFor);
  received(
    `back at the app with ${[...callback.searchParams.keys()].join(", ")} (iss: ${callback.searchParams.get("iss") ?? ""})`,
  );
  const tokens = await oauth.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
  });
  sent("POST /oauth/token", "grant_type=authorization_code, code, code_verifier");
  received(
    `access token for ${tokens.expires_in ?? 0} s, scope "${tokens.scope ?? ""}", refresh token`,
    ...tokenParts(tokens.access_token),
  );
  return tokens;
}

async function search(searchUrl: string, accessToken: string): Promise<string[]> {
  const response = await fetch(searchUrl, {
    method: "POST",
    headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: QUERY, pageSize: 100 }),
  });
  const { results, backendTimeMillis } = (await response.json()) as {
    results: { title: string }[];
    backendTimeMillis: number;
  };
  sent(`POST ${searchUrl}`, `{ "query": "${QUERY}" }`);
  received(`${response.status}, ${results.length} documents in ${backendTimeMillis} ms`);
  return results.map(({ title }) => title);
}

async function refresh(config: oauth.Configuration, tokens: oauth.TokenEndpointResponse): Promise<void> {
  heading("6. The app refreshes, and gets a new refresh token with the new access token");
  const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? "");
  sent("POST /oauth/token", "grant_type=refresh_token");
  const isRotated = refreshed.refresh_token !== tokens.refresh_token;
  received(
    `access token for ${refreshed.expires_in ?? 0} s`,
    `the refresh token is ${isRotated ? "a new one" : "the same"}`,
  );
}

function compare(found: ReadonlyMap<string, readonly string[]>): void {
  for (const [name, titles] of found) {
    const others = new Set([...found].flatMap(([other, list]) => (other === name ? [] : list)));
    const own = titles.filter((title) => !others.has(title));
    console.log(`\n  ${name}: ${titles.length} documents, ${own.length} of which the other does not find:`);
    for (const title of own.slice(0, 5)) console.log(`    · ${title}`);
  }
  console.log();
}
