import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { allowInBrowser, ORIGIN } from "../support/node/gatehouse.ts";
import { McpHost } from "../support/node/mcp-host.ts";
import { runScript } from "../support/node/run-script.ts";
import { type SignedInProxy, startSignedInProxy } from "../support/node/signed-in-proxy.ts";

const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/** Path of the list of checks that fail here, each with its reason. */
const EXPECTED_FAILURES = "test/end-to-end/conformance-baseline.yml";

/** Scenarios for a server like this one, by version of the protocol. */
const APPLICABLE = {
  "2026-07-28": ["server-stateless", "tools-list", "http-header-validation", "caching", "dns-rebinding-protection"],
  "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
} as const;

/** Scenarios for features that this server does not declare, or for tools made for the suite (`test_simple_text`, …). */
const NOT_APPLICABLE = [
  /^(prompts|resources|completion|logging|elicitation|sep-2164-resource|sep-2640-skills)-/,
  /^(tasks|input-required-result|tools-call|json-schema|http-custom-header)-/,
  /^server-(sse|session)-/,
];

let proxy: SignedInProxy;

beforeAll(async () => {
  proxy = await startSignedInProxy(ORIGIN, await new McpHost().signIn("ben", `${ORIGIN}/mcp`));
});

beforeAll(() => {
  const hear = (...words: readonly unknown[]) => {
    said += `${format(...words)}\n`;
    listener(said);
  };
  for (const method of ["log", "error", "warn"] as const) vi.spyOn(console, method).mockImplementation(hear);
  // The suite continues after this call and calls exit again: the first exit code counts.
  vi.spyOn(process, "exit").mockImplementation((code) => ending.resolve(Number(code ?? 0)) as never);
});

afterAll(() => {
  vi.restoreAllMocks();
  proxy.close();
});

/** Output of the current run, its listener, and a promise of the exit code with which the suite's process would end. */
let said = "";
let listener: (output: string) => void = () => undefined;
let ending = Promise.withResolvers<number>();
let runs = 0;

/**
 * Runs the suite as its command line does, but in this process, because it takes longer to load than to run. Only one run at a time.
 *
 * @param listen receives all output so far whenever there is more, and may act on it
 */
async function run(args: readonly string[], listen: typeof listener = () => undefined) {
  said = "";
  listener = listen;
  ending = Promise.withResolvers();
  const { argv } = process;
  process.argv = [process.execPath, SUITE, ...args];
  // Each query makes a new module, which reads the arguments again. Its imports are loaded only once.
  await import(/* @vite-ignore */ `${pathToFileURL(SUITE).href}?run=${(runs += 1)}`);
  process.argv = argv;
  return { exitCode: await ending.promise, output: said };
}

describe.each(Object.entries(APPLICABLE))(
  "the official conformance suite for servers of version %s",
  (version, scenarios) => {
    it.each(scenarios)("passes %s, except for the checks in the baseline", async (scenario) => {
      const what = ["--scenario", scenario, "--spec-version", version, "--expected-failures", EXPECTED_FAILURES];
      const { exitCode, output } = await run(["server", "--url", `${proxy.origin}/mcp`, ...what]);
      expect(exitCode, output).toBe(0);
    });
  },
);

describe("the official conformance suite", () => {
  let output: string;

  beforeAll(async () => {
    ({ output } = await runScript(SUITE, ["list"]));
  });

  it("has no scenario for authorization servers that isn't run here", () => {
    const listed = output.slice(output.indexOf("Authorization server scenarios"));
    expect([...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)).toEqual([
      "authorization-server-metadata-endpoint",
      "authorization-code-grant",
    ]);
  });

  it("has no server scenario that is neither run here nor for a feature that this server lacks", () => {
    const listed = output.slice(output.indexOf("Server scenarios"), output.indexOf("Client scenarios"));
    const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(50);
    const isRun = new Set<string>(Object.values(APPLICABLE).flat());
    expect(names.filter((name) => !isRun.has(name) && !NOT_APPLICABLE.some((feature) => feature.test(name)))).toEqual(
      [],
    );
  });
});

describe("the official conformance suite for authorization servers", () => {
  it("finds the metadata, and exchanges a code for tokens", async () => {
    const port = await findFreePort();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const clientId = await register(redirectUri);
    let hasVisited = false;
    const { exitCode, output } = await run(
      [
        "authorization",
        "--url",
        ORIGIN,
        "--client-id",
        clientId,
        "--resource",
        `${ORIGIN}/mcp`,
        "--port",
        String(port),
      ],
      (heard) => {
        const url = /^(http\S+\/oauth\/authorize\?\S+)$/m.exec(heard)?.[1];
        if (url === undefined || hasVisited) return;
        hasVisited = true;
        void allowInBrowser(url, "ben");
      },
    );
    expect(exitCode, output).toBe(0);
    for (const scenario of ["authorization-server-metadata-endpoint", "authorization-code-grant"]) {
      expect(output).toMatch(new RegExp(`${scenario}: \\d+ passed, 0 failed`));
    }
  });
});

async function register(redirectUri: string): Promise<string> {
  const response = await fetch(`${ORIGIN}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }),
  });
  return ((await response.json()) as { client_id: string }).client_id;
}
