import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { signedRequest } from "#audit/delivery-signature.ts";
import { generateSigningKey, importSigningKey } from "#crypto/signing-key.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const ISSUER = "https://acme.example";
/** The signature covers the normalised URL, with a slash after the host. */
const RECEIVER = "https://collector.example";

interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let folder: string;
let isFromGatehouse: (request: Received, issuer: string) => Promise<boolean>;
let received: Received;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verification-"));
  const [, code = ""] = /```js\n(.*?)```/s.exec(await readFile("docs/audit.md", "utf8")) ?? [];
  const file = join(folder, "verification.mjs");
  await writeFile(file, code);
  ({ isFromGatehouse } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    isFromGatehouse: typeof isFromGatehouse;
  });
  const { kid, privateJwk, publicJwk } = await generateSigningKey();
  const body = '{"message":"Zoë"}\n';
  const key = await importSigningKey(kid, privateJwk);
  const { headers } = await signedRequest(RECEIVER, body, key, Math.floor(Date.now() / 1000));
  received = { url: RECEIVER, headers: Object.fromEntries(new Headers(headers)), body };
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(
      Response.json(
        url.endsWith("/jwks") ? { keys: [{ ...publicJwk, kid, use: "sig" }] } : { jwks_uri: `${ISSUER}/oauth/jwks` },
      ),
    ),
  );
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

it("the code in docs/audit.md verifies a genuine audit delivery", async () => {
  expect(await isFromGatehouse(received, ISSUER)).toBe(true);
});

it.each<[string, (request: Received) => Received]>([
  ["another body", (request) => ({ ...request, body: `${request.body}{}\n` })],
  ["another address", (request) => ({ ...request, url: "https://elsewhere.example/" })],
  ["an empty signature", (request) => ({ ...request, headers: { ...request.headers, signature: "" } })],
  ["no headers", (request) => ({ ...request, headers: {} })],
  [
    "a key that nobody publishes",
    (request) => withInput(request, (input) => input.replace(/keyid="[^"]+"/, 'keyid="x"')),
  ],
  [
    "another time",
    (request) =>
      withInput(request, (input) =>
        input.replace(/(\d)(;keyid)/, (_, d: string, k: string) => `${(Number(d) + 1) % 10}${k}`),
      ),
  ],
  ["an old signature", (request) => withInput(request, (input) => input.replace(/created=\d+/, "created=1800000"))],
  ["no time", (request) => withInput(request, (input) => input.replace(/;created=\d+/, ""))],
])("the code in docs/audit.md rejects an audit delivery with %s, without throwing", async (_, changed) => {
  expect(await isFromGatehouse(changed(received), ISSUER)).toBe(false);
});

function withInput(request: Received, change: (input: string) => string): Received {
  const input = change(request.headers["signature-input"] ?? "");
  return { ...request, headers: { ...request.headers, "signature-input": input } };
}
