/** `npm run demo`: gives one URL to a host that nobody registered, and has two people ask it the same questions. */
import { auth, Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { createClient } from "../clients/typescript/client.js";
import { people } from "./local/people.ts";
import { ScriptedBrowser } from "./local/scripted-browser.ts";
import { explainDemoFailure, requireRunning } from "./demo/preconditions.ts";
import { QUESTIONS } from "./demo/questions.ts";
import { RememberingHost } from "./demo/remembering-host.ts";
import { heading, received, sent, tokenParts, transcribing } from "./demo/transcript.ts";

/** Where the host would listen. Nothing needs to: the scripted browser stops before it goes there. */
const REDIRECT_URI = "http://127.0.0.1:33418/callback";

/** A customer, about whom engineering and finance have written different things. */
const QUERY = "BrightMarket";

/** Two people whose groups differ, so that the same question can have different answers. */
const ASKERS = ["ben@acme.example", "carla@acme.example"];

const baseUrl = process.argv[2] ?? "http://localhost:8787";
const serverUrl = new URL("/mcp", baseUrl);

try {
  await requireRunning(baseUrl);
  await play();
} catch (error) {
  console.error(`\n${explainDemoFailure(error, baseUrl)}`);
  process.exitCode = 1;
}

async function play(): Promise<void> {
  heading(`1. A host is given one URL, ${serverUrl.href}. It gets a 401, reads the metadata and registers itself`);
  const host = new RememberingHost(REDIRECT_URI, "Demonstration host");
  // The protocol's own SDK does all of this: RFC 9728, RFC 8414, RFC 7591.
  await connect(host, transcribing(fetch)).catch((error: unknown) => {
    if (!(error instanceof UnauthorizedError)) throw error;
  });

  const found = new Map<string, string[]>();
  for (const [index, email] of ASKERS.entries()) {
    const person = people.find((candidate) => candidate.email === email) ?? people[0];
    if (!person) throw new Error("there are no people to sign in");
    heading(`${2 + index}. ${person.name} (${person.groups.join(", ") || "no group"}) signs in, allows, and asks`);
    if (index > 0) await auth(host, { serverUrl, forceReauthorization: true });
    await signIn(host, person.sub);
    found.set(person.name, await ask(host));
    if (index === ASKERS.length - 1) await refresh(host);
  }

  heading("5. Your own app calls the Client API with the typed client (clients/typescript)");
  await askAsApp(people[0]?.sub ?? "");

  heading(`6. Two people search for the same customer: what "${QUERY}" finds`);
  compare(found);
}

async function connect(host: RememberingHost, fetchOne = fetch): Promise<Client> {
  const client = new Client({ name: "demo", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider: host, fetch: fetchOne }));
  return client;
}

async function signIn(host: RememberingHost, sub: string, url: URL | string = serverUrl): Promise<void> {
  const { authorizationUrl } = host;
  sent(`the browser to ${authorizationUrl.origin}${authorizationUrl.pathname}`, ...inLines(authorizationUrl));
  const browser = new ScriptedBrowser(REDIRECT_URI);
  const picker = await browser.visit(authorizationUrl.href);
  if ("leftFor" in picker) throw new Error(`the sign-in was refused: ${picker.leftFor}`);
  const consent = await browser.press(picker, { name: "sub", value: sub });
  if ("leftFor" in consent) throw new Error(`the consent page did not appear: ${consent.leftFor}`);
  const answer = await browser.press(consent, { name: "decision", value: "allow" });
  for (const line of browser.history) received(line);
  if (!("leftFor" in answer)) throw new Error(`consent did not lead back to the host: ${answer.status}`);
  const { searchParams } = new URL(answer.leftFor);
  const iss = searchParams.get("iss") ?? "";
  received(`back at the host with ${[...searchParams.keys()].join(", ")} (iss: ${iss})`);
  await auth(host, { serverUrl: url, authorizationCode: searchParams.get("code") ?? "", iss });
  const tokens = host.tokens();
  sent("POST /oauth/token", "grant_type=authorization_code, code, code_verifier, resource");
  received(
    `access token for ${tokens?.expires_in ?? 0} s, scope "${tokens?.scope ?? ""}", refresh token`,
    ...tokenParts(tokens?.access_token ?? ""),
  );
}

/** @returns the titles that the person's search finds */
async function ask(host: RememberingHost): Promise<string[]> {
  const client = await connect(host);
  const { tools } = await client.listTools();
  received(
    `connected, version ${client.getNegotiatedProtocolVersion() ?? ""}: ${tools.map(({ name }) => name).join(", ")}`,
  );
  for (const question of QUESTIONS) {
    sent(`POST ${serverUrl.href}`, `tools/call chat { "question": "${question}" }`);
    const { answer } = await call<{ answer: string }>(client, "chat", { question });
    // The best passage, with its source. Those that follow are from other documents.
    received(answer.split("\n\n", 1)[0] ?? "");
  }
  sent(`POST ${serverUrl.href}`, `tools/call search_documents { "query": "${QUERY}" }`);
  const { results } = await call<{ results: { title: string }[] }>(client, "search_documents", {
    query: QUERY,
    page_size: 50,
  });
  received(`${results.length} documents`);
  await client.close();
  return results.map(({ title }) => title);
}

async function call<Answer>(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(`the tool ${name} failed`);
  return structuredContent as Answer;
}

async function refresh(host: RememberingHost): Promise<void> {
  heading("4. The host refreshes, and gets a new refresh token with the new access token");
  const before = host.tokens()?.refresh_token;
  await auth(host, { serverUrl });
  sent("POST /oauth/token", "grant_type=refresh_token");
  received(
    `access token for ${host.tokens()?.expires_in ?? 0} s`,
    `the refresh token is ${host.tokens()?.refresh_token === before ? "the same" : "a new one"}`,
  );
}

/**
 * Calls the Client API with a token for the instance's origin. The host's token is only for the MCP endpoint, and is refused
 * there.
 */
async function askAsApp(sub: string): Promise<void> {
  const app = new RememberingHost(REDIRECT_URI, "Demonstration app");
  await auth(app, { serverUrl: baseUrl });
  await signIn(app, sub, baseUrl);
  const client = createClient({ baseUrl, token: () => app.tokens()?.access_token ?? "" });
  const body = { query: QUESTIONS[0], pageSize: 3 };
  sent(`POST ${baseUrl}/rest/api/v1/search`, JSON.stringify(body));
  const { data, error } = await client.POST("/rest/api/v1/search", { body });
  if (!data) throw new Error(error.message);
  received(...data.results.map(({ title, url }) => `${title} <${url}>`));
}

function inLines(url: URL): string[] {
  return [...url.searchParams].map(([name, value]) => `${name}=${value}`);
}

function compare(found: ReadonlyMap<string, readonly string[]>): void {
  for (const [name, titles] of found) {
    const others = new Set([...found].flatMap(([other, list]) => (other === name ? [] : list)));
    const own = titles.filter((title) => !others.has(title));
    console.log(`\n  ${name}: ${titles.length} documents, ${own.length} of which the other person does not find:`);
    for (const title of own.slice(0, 5)) console.log(`    · ${title}`);
  }
  console.log();
}
