import { compareClocks } from "#doctor/providers.ts";
import { attempt, failed, type Finding, ok, warning } from "#platform/finding.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { RESOURCE_METADATA_PATH } from "#protocol/resource-indicator.ts";

/** Sends an HTTP request to the instance. */
export type Ask = (request: Request) => Promise<Response>;

/** An unrelated origin, like that of a browser app. */
const SOME_APP = "https://app.example";

const REACH = "Check that the address reaches this deployment: its route or custom domain, and INSTANCE_HOST.";

/**
 * Checks an instance as apps, APIs and browsers see it.
 *
 * @param origin the instance's URL, without a path
 * @param now the caller's clock, in epoch seconds
 */
export async function checkFromOutside(origin: string, ask: Ask, now: () => number): Promise<Finding[]> {
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(new Request(origin + path, { headers, redirect: "manual" }));
  return Promise.all([
    attempt("Address", REACH, () => checkTransport(origin, get)),
    attempt("Authorization server metadata", REACH, () => checkMetadata(origin, get)),
    attempt("Browser apps (CORS)", REACH, () => checkCors(origin, get, ask)),
    attempt("Resource metadata", REACH, () => checkResourceMetadata(origin, get)),
    attempt("Response to a call without a token", REACH, () => checkChallenge(origin, get, ask)),
    attempt("Published keys", REACH, () => checkKeys(get)),
    attempt("Sign-in pages", REACH, () => checkPages(get)),
    attempt("Clock", REACH, () => checkClock(get, now)),
  ]);
}

/** How servers of assistants name themselves when they call tools. Rules against bots look for these names. */
const ASSISTANTS = ["Claude-User", "ChatGPT-User"];

/**
 * Checks whether something in front of the Worker answers requests of assistants in its place. A rule that recognizes assistants by
 * their addresses can't be found in this way.
 */
export function checkFront(origin: string, ask: Ask): Promise<Finding> {
  const check = "Requests of assistants";
  return attempt(check, REACH, async () => {
    for (const assistant of ASSISTANTS) {
      const { headers, status } = await ask(new Request(`${origin}/mcp`, { headers: { "User-Agent": assistant } }));
      // Each of our responses has it.
      if (headers.has("x-request-id")) continue;
      return headers.get("cf-mitigated") === "challenge"
        ? failed(
            check,
            `${assistant} gets a challenge page, which programs can’t pass.`,
            "Turn off Bot Fight Mode and other challenges for this address, in Cloudflare under Security.",
          )
        : failed(
            check,
            `${assistant} gets ${status} from something in front of the Worker.`,
            "Turn off Block AI bots for the zone, allow it under AI Crawl Control, and look at Security, Events for other rules.",
          );
    }
    return ok(check, `Nothing in front of the Worker refuses ${ASSISTANTS.join(" or ")} by name.`);
  });
}

type Get = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;

async function checkTransport(origin: string, get: Get): Promise<Finding> {
  if (!origin.startsWith("https://")) {
    return warning(
      "Address",
      "It responds over plain http, which is for local development only.",
      "Deploy it behind https.",
    );
  }
  const hsts = (await get("/")).headers.get("strict-transport-security") ?? "";
  if (/max-age=[1-9]/.test(hsts))
    return ok("Address", "It responds over https, and browsers remember to use only https.");
  return failed(
    "Address",
    "Browsers aren’t told to use only https: the header Strict-Transport-Security is missing.",
    "Look for a rule in front of the Worker that removes headers.",
  );
}

async function checkMetadata(origin: string, get: Get): Promise<Finding> {
  const check = "Authorization server metadata";
  const response = await get(ENDPOINTS.metadata);
  const document = await jsonOf(response);
  if (response.status === 403 && document["error"] === "oauth_not_enabled") {
    return warning(check, "OAuth is off: no app can sign people in.", "Turn it on under OAuth if apps should use it.");
  }
  if (response.status !== 200) return failed(check, `It responds with ${response.status}.`, REACH);
  if (document["issuer"] === origin) return ok(check, "Apps can find it, and its issuer is this address.");
  return failed(
    check,
    `It names ${String(document["issuer"])} as the issuer, which apps compare with the address they requested.`,
    "Give apps the issuer’s address, or configure the proxy to pass the host unchanged.",
  );
}

async function checkCors(origin: string, get: Get, ask: Ask): Promise<Finding> {
  const check = "Browser apps (CORS)";
  const remedy = "Look for a rule in front of the Worker that answers OPTIONS itself or removes headers.";
  const metadata = await get(ENDPOINTS.metadata, { Origin: SOME_APP });
  if (metadata.headers.get("access-control-allow-origin") !== "*") {
    return failed(check, "Apps in browsers can’t read the metadata.", remedy);
  }
  const preflight = await ask(
    new Request(origin + ENDPOINTS.token, {
      method: "OPTIONS",
      headers: {
        Origin: SOME_APP,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
      },
    }),
  );
  const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  const isAllowed =
    preflight.ok && preflight.headers.get("access-control-allow-origin") === "*" && allowed.includes("authorization");
  return isAllowed
    ? ok(check, "Apps in browsers can read the metadata and request tokens.")
    : failed(check, "Apps in browsers can’t request tokens: the preflight is refused.", remedy);
}

async function checkResourceMetadata(origin: string, get: Get): Promise<Finding> {
  const check = "Resource metadata";
  const response = await get(RESOURCE_METADATA_PATH);
  const document = await jsonOf(response);
  if (response.status !== 200) return failed(check, `It responds with ${response.status}.`, REACH);
  const servers = document["authorization_servers"];
  if (document["resource"] !== origin) {
    return failed(check, `It names ${String(document["resource"])} as the resource, not this address.`, REACH);
  }
  if (Array.isArray(servers) && !servers.includes(origin)) {
    return warning(
      check,
      "It doesn’t point apps to this authorization server.",
      "Turn OAuth on if apps should use it.",
    );
  }
  return ok(check, "It tells apps where to sign people in.");
}

async function checkChallenge(origin: string, get: Get, ask: Ask): Promise<Finding> {
  const check = "Response to a call without a token";
  const refused = await ask(
    new Request(`${origin}/rest/api/v1/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    }),
  );
  const challenge = refused.headers.get("www-authenticate") ?? "";
  const metadataAt = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  if (refused.status !== 401 || metadataAt === undefined) {
    return failed(
      check,
      `A call without a token gets ${refused.status} and doesn’t say where to get one.`,
      "Look for a rule in front of the Worker that responds in its place or removes WWW-Authenticate.",
    );
  }
  const isThere = metadataAt.startsWith(`${origin}/`) && (await get(metadataAt.slice(origin.length))).status === 200;
  return isThere
    ? ok(check, "The response to a call without a token says where to get one.")
    : failed(
        check,
        `The response to a call without a token points to ${metadataAt}, which doesn’t respond here.`,
        REACH,
      );
}

async function checkKeys(get: Get): Promise<Finding> {
  const check = "Published keys";
  const response = await get(ENDPOINTS.jwks);
  const { keys } = await jsonOf(response);
  if (response.status !== 200 || !Array.isArray(keys)) {
    return failed(check, `The key set responds with ${response.status} and can’t be read.`, REACH);
  }
  const jwks = keys as Record<string, unknown>[];
  if (jwks.some((key) => "d" in key)) {
    return failed(check, "The key set contains a private key.", "Rotate the signing key as compromised, at once.");
  }
  return jwks.some((key) => key["kty"] === "EC" && typeof key["kid"] === "string")
    ? ok(check, `Services that verify our tokens find ${jwks.length === 1 ? "the key" : `${jwks.length} keys`}.`)
    : failed(check, "The key set is empty, so nobody can verify our tokens.", "Rotate the signing key.");
}

async function checkPages(get: Get): Promise<Finding> {
  const check = "Sign-in pages";
  const response = await get(ENDPOINTS.authorization);
  const policy = response.headers.get("content-security-policy") ?? "";
  const isPage = (response.headers.get("content-type") ?? "").startsWith("text/html");
  if (!isPage || response.status < 400 || response.status >= 500) {
    return failed(check, `A request without parameters gets ${response.status}, not a page.`, REACH);
  }
  const isProtected =
    /frame-ancestors 'none'/.test(policy) &&
    /default-src 'none'/.test(policy) &&
    response.headers.get("x-frame-options") === "DENY";
  return isProtected
    ? ok(check, "Error pages can’t be framed by other sites or run scripts.")
    : failed(
        check,
        "The pages have lost the headers that keep other sites from framing them.",
        "Look for a rule in front of the Worker that changes Content-Security-Policy or X-Frame-Options.",
      );
}

async function checkClock(get: Get, now: () => number): Promise<Finding> {
  const date = (await get(ENDPOINTS.jwks)).headers.get("date");
  return compareClocks("Clock", "this machine’s", date, now());
}

async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const parsed: unknown = await response.clone().json();
    return typeof parsed === "object" && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
