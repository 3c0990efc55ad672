/**
 * The local SSO: a certified OpenID Connect server in its own process, so that the Worker uses it as it uses an organisation's
 * provider, over HTTP and with nothing shared.
 *
 *     node scripts/local/sso.ts --port 8788 --client-id gatehouse --redirect-uri http://localhost:8787/oauth/callback
 *
 * Prints one line of JSON when it is ready: `{"ready":true,"issuer":"http://localhost:8788"}`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { openLoopback } from "./loopback.ts";
import { type Person, people as everybody } from "./people.ts";
import { errorPage, frontPage } from "./sso-pages.ts";
import { sendPage, servePicker } from "./sso-picker.ts";
import { createSsoProvider, makeSigningKey } from "./sso-provider.ts";

const options = readOptions();

const server = await openLoopback(options.port).catch((error: Error) => fail(error.message));
const issuer = `http://localhost:${server.port}`;
const provider = createSsoProvider(issuer, options.client, options.people, await signingKey(options.keyFile));
provider.on("server_error", (_context, error) => console.error(error));
const serveProvider = provider.callback();

server.serve(async (request, response) => {
  try {
    if (request.url === "/") return sendPage(response, 200, await frontPage(options.people));
    if (await servePicker(provider, options.people, request, response)) return;
    serveProvider(request, response);
  } catch (error) {
    console.error(error);
    if (response.headersSent) response.destroy();
    else
      sendPage(
        response,
        500,
        await errorPage("Something broke", "The terminal that started this server shows the details."),
      );
  }
});

process.stdout.write(`${JSON.stringify({ ready: true, issuer })}\n`);

// The parent may be killed before it can stop this process. The IPC channel then closes.
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8788" },
      "client-id": { type: "string", default: "gatehouse" },
      "client-secret": { type: "string" },
      "redirect-uri": { type: "string", multiple: true },
      people: { type: "string" },
      "key-file": { type: "string" },
    },
  });
  // The environment is the better place for the secret, because arguments show in the process list.
  const clientSecret = values["client-secret"] ?? process.env.SSO_CLIENT_SECRET;
  if (clientSecret === undefined) fail("Give the client's secret as SSO_CLIENT_SECRET or --client-secret.");
  const redirectUris = values["redirect-uri"];
  if (redirectUris === undefined) fail("Give at least one --redirect-uri: where sign-ins may return to.");
  const people = values.people === undefined ? everybody : (JSON.parse(values.people) as readonly Person[]);
  return {
    port: Number(values.port),
    client: { clientId: values["client-id"], clientSecret, redirectUris },
    people,
    keyFile: values["key-file"],
  };
}

/**
 * Reads the key from a file, or creates it there. With a new key at each start, people could not sign in for up to a minute after
 * a restart: the Worker caches the keys of an SSO, and fetches new ones once a minute at most.
 */
async function signingKey(file: string | undefined): Promise<object> {
  if (file === undefined) return makeSigningKey();
  const kept = await readFile(file, "utf8").catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept) as object;
  const key = makeSigningKey();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(key), { mode: 0o600 });
  return key;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
