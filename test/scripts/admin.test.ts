import { register } from "#authorization-server/registration/register-client.ts";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { COMMANDS } from "../../scripts/admin/commands.ts";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { remotePlace } from "../../scripts/admin/place.ts";
import { wordsOf } from "../../scripts/admin/program.ts";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { openAdmin, type TestAdmin } from "../support/node/admin-database.ts";
import { makeFolder } from "../support/node/private-folder.ts";
import { runScript } from "../support/node/run-script.ts";

/** A folder with a separate database, because workerd fails statements, instead of waiting, if two processes share one. */
let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the command line on that database. */
const admin = (...args: string[]) => runScript("scripts/admin.ts", args, folder);

describe("npm run admin", () => {
  it("exits 2 with one sentence for an unknown command, before it opens a database", async () => {
    await rm(join(folder, "wrangler.toml"));
    const { exitCode, output, complaints } = await admin("instance", "crate", "globex");
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: "" });
    expect(complaints).toBe("Unknown command 'crate' (Did you mean create?). See: npm run admin -- help\n");
  });

  it("needs a token or a master key for --remote, and says so", async () => {
    const context = { ...openLocalAdmin(folder), placeOf: remotePlace };
    const refusal = await runAdmin(["settings", "show", "acme", "--remote"], context).then(
      () => "nothing was refused",
      explainFailure,
    );
    expect(refusal).toMatch(/^There is no token and no master key: set GATEHOUSE_TOKEN /);
  });

  it("says what to do if there is no master key yet", async () => {
    await rm(join(folder, ".dev.vars"));
    const refusal = await runAdmin(["schema", "status"], openLocalAdmin(folder)).then(
      () => "nothing was refused",
      explainFailure,
    );
    expect(refusal).toMatch(/^There are no master keys: run npm start once/);
  });
});

describe("the deployed Worker's address", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ["", "https://{instance}-be.example.com"],
    ["staging", "https://{instance}-staging.example.com"],
  ])("is that of the environment '%s'", (environment, address) => {
    vi.stubEnv("CLOUDFLARE_ENV", environment);
    expect(remotePlace().address).toBe(address);
  });

  it("is refused for an environment that does not exist", () => {
    vi.stubEnv("CLOUDFLARE_ENV", "unknown");
    expect(() => remotePlace().address).toThrow("names no INSTANCE_HOST");
  });
});

describe("an admin command", () => {
  let context: TestAdmin;
  let refusalWithoutTables: string;
  const redirectUri = "https://app.example.com/callback";

  beforeAll(async () => {
    context = openAdmin();
    refusalWithoutTables = await runAdmin(["instance", "list"], context).then(
      () => "nothing was refused",
      explainFailure,
    );
    for (const command of ["schema apply", "instance create acme"]) {
      await runAdmin(command.split(" "), context);
    }
  });

  it("says what to do if there are no tables yet", () => {
    expect(refusalWithoutTables).toMatch(/schema apply$/);
  });

  it("prints what it did, and the next step", async () => {
    const lines: string[] = [];
    await runAdmin(["instance", "create", "globex"], { ...context, print: (line) => lines.push(line) });
    expect(lines).toEqual([
      "Created the instance globex. OAuth is off. To turn it on: npm run admin -- oauth enable globex",
      expect.stringMatching(/^To connect its single sign-on .*http:\/\/globex\.localhost\/setup\?token=\d+\.[\w-]+$/),
    ]);
  });

  it.each([
    ["an unknown option", ["instance", "create", "other", "--admim", "ada@acme.example"], "--admim"],
    [
      "an unknown instance",
      ["oauth", "enable", "nowhere"],
      'no instance nowhere at http://nowhere.localhost: "instance list" lists',
    ],
    ["an instance without a name", ["oauth", "enable"], "'instance'"],
    ["a name that is no host name", ["instance", "create", "Acme_Corp"], "use a-z, digits and dashes"],
    ["a name that is taken", ["instance", "create", "acme"], "acme"],
    ["a redirect URI over plain http", client("http://app.example.com/callback"), "http://app.example.com/callback"],
    ["a redirect URI with a wildcard", client("https://*.example.com/callback"), "wildcard"],
    ["a client without a redirect URI", ["client", "create", "acme", "--name", "App"], "--redirect-uri"],
    ["keys over plain http", [...client(redirectUri), "--jwks-uri", "http://app.example/jwks.json"], "an https URL"],
    ["keys twice", [...client(redirectUri), "--jwks-uri", "https://app.example/jwks.json", "--jwks", "{}"], "not both"],
    [
      "keys beside a secret",
      [...client(redirectUri), "--confidential", "--jwks-uri", "https://app.example/jwks.json"],
      "not both",
    ],
    [
      "an unknown scope",
      [...client(redirectUri), "--scope", "EVERYTHING"],
      "--scope is not acceptable: a scope is one of SEARCH,",
    ],
    [
      "a setting out of bounds",
      ["settings", "set", "acme", "accessTokenLifetimeSeconds=1"],
      "accessTokenLifetimeSeconds",
    ],
    ["a setting of another kind", ["settings", "set", "acme", "oauthEnabled=perhaps"], "oauthEnabled"],
    ["a setting that does not exist", ["settings", "set", "acme", "colour=blue"], "colour"],
    ["a secret on no channel", ["sso", "set", "acme", "--issuer", "https://sso.example", "--client-id", "x"], "secret"],
    ["a token of no kind", [...token("magic"), "--scope", "x"], "--kind"],
    ["a token without an end", [...token("indexing"), "--scope", "documents:a"], "(--expires-in-days)"],
    ["a token for nothing", [...token("indexing"), "--expires-in-days", "1"], "--scope"],
    ["a token of too long a life", pipelineToken("--expires-in-days", "367"), "(--expires-in-days)"],
    ["a token that acts for nobody", [...token("client-api"), "--scope", "SEARCH"], "person"],
    ["a token from a network that is none", pipelineToken("--network", "10.0.0.0/40"), "10.0.0.0/40"],
    ["a token that is not there", ["token", "revoke", "acme", "nothing", "--yes"], "nothing"],
    ["an address with a path", ["export", "acme", "--url", "https://127.0.0.1:1/gatehouse"], "without a path"],
    ["plain http to another machine", ["export", "acme", "--url", "http://acme.example"], "--url needs https"],
    ["a rotation of a token that is not there", ["token", "rotate", "acme", "nothing"], "nothing"],
  ])("refuses %s, in one sentence that says what is wrong", async (_name, args, named) => {
    const lines: string[] = [];
    const refusal = await runAdmin(args, { ...context, print: (line) => lines.push(line) }).then(
      () => "nothing was refused",
      explainFailure,
    );
    expect(refusal).toContain(named);
    expect(refusal).not.toContain("\n");
    expect(lines).toEqual([]);
  });

  it("finds nothing of another instance by its ids, and changes nothing there", async () => {
    const run = (args: string[]) => runAdmin(args, { ...context, print: () => undefined });
    await run(["instance", "create", "elsewhere"]);
    const there = (args: string[]) => run(args.map((word) => (word === "acme" ? "elsewhere" : word)));
    const tokenId = idIn(await there(pipelineToken()), "token");
    const clientId = idIn(await there([...client(redirectUri), "--confidential"]), "app");
    const issuer = "https://idp.example";
    const order = ["--client-id", "x", "--audience", "a", "--email-domain", "acme.example", "--offline"];
    await there(["issuer", "add", "acme", "--issuer", issuer, ...order]);
    await there(["person", "deactivate", "acme", "ann@acme.example", "--yes"]);
    const tables = ["clients", "external_issuers", "people", "service_tokens", "audit", "grants"];
    const dump = async () => {
      const { id } = await servicesOf(context.bindings).instances.require("elsewhere");
      const read = (table: string) =>
        context.bindings.DB.prepare(`SELECT * FROM ${table} WHERE instance_id = ?1`).bind(id).all();
      return Promise.all(tables.map(async (table) => (await read(table)).results));
    };
    const before = await dump();
    const identified: Record<string, unknown> = {
      "client-id": clientId,
      "token-id": tokenId,
      "grant-id": "any",
      issuer,
      email: "ann@acme.example",
    };
    const commands = COMMANDS.flatMap(({ usage, asksFirst }) => {
      const [, name = "", what = ""] = /^(.+) <instance> [<[]([\w-]+)[>\]]/.exec(usage) ?? [];
      return what in identified ? [{ name, what, yes: asksFirst ? ["--yes"] : [] }] : [];
    });
    expect(commands.length).toBeGreaterThan(14);
    for (const { name, what, yes } of commands) {
      // Each instance has its own people: a command with an email creates the person here or is refused.
      const refusal = run([...name.split(" "), "acme", String(identified[what]), ...yes]).then(
        () => "",
        explainFailure,
      );
      if (what !== "email") expect([name, await refusal]).toEqual([name, expect.stringMatching(/\w/)]);
      await refusal;
    }
    expect(await dump()).toEqual(before);
  });

  it("asks before anybody loses access, and changes nothing without a yes", async () => {
    const run = (args: string[]) => runAdmin(args, context);
    const tokenId = idIn(await run(pipelineToken()), "token");
    const clientId = idIn(await run([...client(redirectUri), "--confidential"]), "app");
    const issuer = "https://asked.example";
    const order = ["--client-id", "x", "--audience", "a", "--email-domain", "acme.example", "--offline"];
    await run(["issuer", "add", "acme", "--issuer", issuer, ...order]);
    await run(["person", "role", "acme", "asked@acme.example", "auditor"]);
    const file = join(folder, "acme.json");
    await writeFile(file, JSON.stringify({ settings: { displayName: "Asked" } }));
    const words: Record<string, string> = {
      "<instance>": "acme",
      "<client-id>": clientId,
      "<token-id>": tokenId,
      "[grant-id]": "any",
      "<issuer>": issuer,
      "<email>": "asked@acme.example",
      "<role>": "none",
      "<name=value...>": "oauthEnabled=false",
      "<file>": file,
    };
    const more: Record<string, string[]> = {
      "signing-key rotate": ["--compromised"],
      "token rotate": ["--now"],
      "documents move": ["--to", "shards:2"],
      "documents decide": ["--remove"],
      "documents rewind": ["--at", "2026-11-20T08:00:00Z"],
    };
    const glossary = join(folder, "glossary.csv");
    await writeFile(glossary, "PTO,paid time off\n");
    const asking = COMMANDS.filter(({ asksFirst }) => asksFirst);
    expect(asking.length).toBeGreaterThan(14);
    const last = async () => ((await run(["audit", "list", "acme", "--limit", "1"]))["items"] as unknown[])[0];
    const before = await last();
    for (const { usage } of asking) {
      const isOfGlossary = usage.startsWith("glossary ");
      const args = usage
        .split(" ")
        .map((word) => (isOfGlossary && word === "<file>" ? glossary : (words[word] ?? word)));
      const options = more[wordsOf(usage).join(" ")] ?? [];
      const failure = await run([...args, ...options]).then(() => "", explainFailure);
      expect({ usage, failure }).toEqual({ usage, failure: expect.stringMatching(/Nothing was changed: add --yes/) });
      const refused = await runAdmin([...args, ...options], { ...context, ask: () => Promise.resolve("no") }).then(
        () => "",
        explainFailure,
      );
      expect({ usage, refused }).toEqual({ usage, refused: "Nothing was changed" });
    }
    expect(await last()).toEqual(before);
    await runAdmin(["token", "revoke", "acme", tokenId], { ...context, ask: () => Promise.resolve("yes") });
    expect(await last()).toMatchObject({ event: "service_token_revoked" });
  });

  it("creates, lists and rotates a token, and shows its secret only once", async () => {
    const lines: string[] = [];
    const run = async (args: string[]) => {
      lines.length = 0;
      return runAdmin(args, { ...context, print: (line) => lines.push(line) });
    };
    const { token: issued, secret } = await run(
      pipelineToken("--network", "192.0.2.9/24", "--network", "2001:DB8::/32"),
    );
    expect(lines).toEqual([`${String(secret)}   (shown only once)`]);
    await run(["token", "list", "acme"]);
    const { id } = issued as { readonly id: string };
    expect(lines[0]).toMatch(/^TOKEN ID +KIND +NAME +SCOPES +PERSON +NETWORKS +EXPIRES +LAST USED$/);
    // Another test may have issued a token in the same second, and then either of them is first.
    expect(lines.find((line) => line.startsWith(id))).toMatch(
      new RegExp(`^${id} +indexing +x +documents:wiki +192\\.0\\.2\\.0/24 2001:db8::/32 +\\d[^ ]+Z +never$`),
    );
    const rotated = await run(["token", "rotate", "acme", id, "--now", "--yes"]);
    expect(rotated).toEqual({ secret: expect.stringMatching(/^ghi_/) });
    expect(rotated["secret"]).not.toBe(secret);
    await run(["token", "revoke", "acme", id, "--yes"]);
    const refusal = await run(["token", "rotate", "acme", id]).then(() => "", explainFailure);
    expect(refusal).toMatch(`There is no active token ${id}`);
  });

  const command = (args: string[]) => runAdmin(args, context);

  /** Returns the email addresses of all people. */
  async function emails(): Promise<string[]> {
    const { items } = await command(["person", "list", "acme"]);
    return (items as { readonly email: string }[]).map(({ email }) => email);
  }

  it("creates no token for a deactivated person, and no person for a token that is refused", async () => {
    const issue = (...more: string[]) =>
      command(["token", "create", "acme", "--kind", "client-api", "--scope", "SEARCH", ...more]).then(
        () => "",
        explainFailure,
      );
    await command(["person", "role", "acme", "leaver@acme.example", "administrator"]);
    await command(["person", "deactivate", "acme", "leaver@acme.example", "--yes"]);
    expect(await issue("--name", "t", "--person", "leaver@acme.example")).toMatch(/is deactivated/);
    expect(await issue("--name", " ", "--person", "unknown@acme.example")).toMatch(/name/);
    const ofUnknown = ["--name", "t", "--person", "unknown@acme.example"];
    expect(await issue(...ofUnknown)).toMatch(
      /^Nobody has signed in as unknown@acme\.example yet: .*\(--new-person\)$/,
    );
    expect(await emails()).not.toContain("unknown@acme.example");
    expect(await issue(...ofUnknown, "--new-person")).toBe("");
    expect(await emails()).toContain("unknown@acme.example");
  });

  it("neither reactivates nor releases an unknown person, and doesn't create them", async () => {
    for (const decision of ["reactivate", "release"]) {
      const refusal = await command(["person", decision, "acme", "nobody@acme.example"]).then(() => "", explainFailure);
      expect(refusal).toMatch(/nobody with the email nobody@acme\.example/);
    }
    expect(await emails()).not.toContain("nobody@acme.example");
  });

  it("prints another link to connect the first SSO, but none once there is one", async () => {
    await command(["instance", "create", "later"]);
    const link = await command(["instance", "setup-link", "later"]);
    expect(link).toEqual({ name: "later", setupUrl: expect.stringContaining("/setup?token=") as string });
    const { administrationOf, instances } = servicesOf(context.bindings);
    const claims = { emailClaim: "email", groupsClaim: "groups", requiredClaims: {} };
    const connection = { ...claims, issuer: "https://sso.example", clientId: "a", clientSecret: "b", scopes: "openid" };
    await administrationOf(await instances.require("later"), "test").singleSignOn.connect(connection);
    const refusal = await command(["instance", "setup-link", "later"]).then(() => "", explainFailure);
    expect(refusal).toMatch(/^later has a single sign-on/);
  });

  it("makes nobody an administrator with instance create --if-absent if the instance exists", async () => {
    await command(["instance", "create", "acme", "--admin", "mallory@acme.example", "--if-absent"]);
    expect(await emails()).not.toContain("mallory@acme.example");
  });

  it("creates a client that signs with its own keys (private_key_jwt), and changes their URL", async () => {
    const made = await command([...client(redirectUri), "--jwks-uri", "https://app.example/jwks.json"]);
    expect(Object.keys(made)).toEqual(["app"]);
    const clientId = idIn(made, "app");
    await command(["client", "edit", "acme", clientId, "--jwks-uri", "https://app.example/moved.json"]);
    const { clientDirectory, instances } = servicesOf(context.bindings);
    expect(await clientDirectory.find((await instances.require("acme")).id, clientId)).toMatchObject({
      tokenEndpointAuthMethod: "private_key_jwt",
      keys: { jwksUri: "https://app.example/moved.json" },
    });
  });

  it("asks which scopes a new client may request if none is given, and creates none if nobody can be asked", async () => {
    const unscoped = client(redirectUri).slice(0, -2);
    const scopesAnswered = async (answer: string) => {
      const created = await runAdmin(unscoped, { ...context, ask: () => Promise.resolve(answer) });
      return (created as { readonly app: { readonly scopes: string[] } }).app.scopes;
    };
    expect(await scopesAnswered("search, chat")).toEqual(["SEARCH", "CHAT"]);
    expect(await scopesAnswered("")).toEqual(["SEARCH", "CHAT", "DOCUMENTS", "offline_access"]);
    expect(await runAdmin(unscoped, context).then(() => "a client was created", explainFailure)).toContain("--scope");
  });

  it("changes the name of a client that registered itself, but not its scopes", async () => {
    const services = servicesOf(context.bindings);
    const { clientDirectory, policySnapshots } = services;
    const policy = await policySnapshots.of("acme", () => {});
    if (!policy) throw new Error("there is no instance acme");
    const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: "none", client_name: "Its own" };
    const { client: registered } = await register(
      services,
      { issuer: "https://acme-be.example.com", policy },
      metadata,
      "192.0.2.1",
    );
    const edit = (...options: string[]) => runAdmin(["client", "edit", "acme", registered.id, ...options], context);
    const stored = () => clientDirectory.find(policy.instanceId, registered.id);
    expect(await edit("--scope", "CHAT").then(() => "nothing was refused", explainFailure)).toContain("dynamicScopes");
    await expect(edit("--name", "Renamed", "--scope", "CHAT")).rejects.toThrow("dynamicScopes");
    expect(await stored()).toMatchObject({ name: "Its own", scopes: registered.scopes });
    await edit("--name", "Renamed");
    expect(await stored()).toMatchObject({ name: "Renamed", scopes: registered.scopes });
  });

  /** Returns the id of what a command created. */
  function idIn(answer: Readonly<Record<string, unknown>>, what: string): string {
    return (answer[what] as { readonly id: string }).id;
  }

  function token(kind: string): string[] {
    return ["token", "create", "acme", "--kind", kind, "--name", "x"];
  }

  function pipelineToken(...options: string[]): string[] {
    return [...token("indexing"), "--scope", "documents:wiki", "--expires-in-days", "1", ...options];
  }

  function client(uri: string): string[] {
    return ["client", "create", "acme", "--name", "App", "--redirect-uri", uri, "--scope", "SEARCH"];
  }
});
