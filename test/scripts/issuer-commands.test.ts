import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { runAdmin } from "../../scripts/admin.ts";
import { openAdmin, type TestAdmin } from "../support/node/admin-database.ts";
import { publishIssuer, signToken } from "../support/node/issuer-token.ts";

const TENANT = "0f1c2d3e-0000-4000-8000-000000000001";
const API = "0f1c2d3e-0000-4000-8000-0000000000a1";
const ISSUER = "https://idp.example/realms/acme";

describe("npm run admin -- issuer", () => {
  let context: TestAdmin;

  beforeAll(async () => {
    context = openAdmin();
    await run("schema apply");
    await run("instance create acme");
  });

  /** Runs a command, given as words with spaces between them, on a separate database, and returns what it printed. */
  async function run(line: string): Promise<string[]> {
    const lines: string[] = [];
    await runAdmin(line.split(" "), { ...context, print: (text) => lines.push(text) });
    return lines;
  }

  /** Returns the configurations that `issuer list --json` prints. */
  async function configurations(): Promise<Record<string, unknown>[]> {
    const { items } = JSON.parse((await run("issuer list acme --json")).join("\n")) as {
      items: Record<string, unknown>[];
    };
    return items.map(({ createdAt: _at, changedAt: _then, isDisabled: _is, ...configuration }) => configuration);
  }

  it("adds an issuer with every option, and prints what it now accepts", async () => {
    const lines = await run(
      `issuer add acme --issuer ${ISSUER} --client-id portal --email-domain acme.example --client-id intranet --client-id-claim azp --audience gatehouse ` +
        "--algorithm RS256 --algorithm ES256 --groups-claim groups --require-claim org=acme --scope search,CHAT --scopes-required yes --header-optional-at-mcp no " +
        "--jwks-uri https://idp.example/keys --name Keycloak --offline",
    );
    expect(lines).toEqual([
      `acme accepts access tokens of ${ISSUER} for 2 applications with SEARCH, CHAT, and identifies the person by the email in email, vouched for by email_verified. This takes effect within 10 seconds.`,
    ]);
    expect(await configurations()).toEqual([
      {
        issuer: ISSUER,
        name: "Keycloak",
        accepts: "access-tokens",
        clientIds: ["portal", "intranet"],
        clientIdClaim: "azp",
        audiences: ["gatehouse"],
        algorithms: ["RS256", "ES256"],
        personBy: "email",
        personClaim: "email",
        emailVouchedBy: "token",
        emailVerifiedClaim: "email_verified",
        groupsClaim: "groups",
        emailDomains: ["acme.example"],
        groupsMeetDirectory: false,
        tokenLifetimeSecondsMax: 86_400,
        requiredClaims: { org: "acme" },
        scopes: ["SEARCH", "CHAT"],
        scopesRequired: true,
        headerOptionalAtMcp: false,
        jwksUri: "https://idp.example/keys",
      },
    ]);
  });

  it("edits the options that are given, removes those that are empty, and keeps the rest", async () => {
    await run(`issuer edit acme ${ISSUER} --scope SEARCH --groups-claim= --require-claim= --jwks-uri= --audience=`);
    const [after] = await configurations();
    expect(after).toMatchObject({
      scopes: ["SEARCH"],
      requiredClaims: {},
      audiences: [],
      clientIds: ["portal", "intranet"],
    });
    expect(after).not.toHaveProperty("groupsClaim");
    expect(after).not.toHaveProperty("jwksUri");
  });

  it("warns if there is no audience, and if the administrator vouches for every email address", async () => {
    const lines = await run(`issuer edit acme ${ISSUER} --email-vouched-by administrator`);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^Warning: without --audience/);
    expect(lines[2]).toMatch(/^Warning: you vouch for every email address/);
  });

  it("disables, enables and removes an issuer, and says so", async () => {
    expect(await run(`issuer disable acme ${ISSUER} --yes`)).toEqual([
      expect.stringMatching(/refuses tokens.*10 seconds/),
    ]);
    expect((await run("issuer list acme"))[1]).toMatch(/realms\/acme +Keycloak +disabled/);
    expect(await run(`issuer edit acme ${ISSUER} --name Again`)).toContainEqual(expect.stringMatching(/issuer enable/));
    expect(await run(`issuer enable acme ${ISSUER}`)).toEqual([expect.stringMatching(/again.*10 seconds/)]);
    expect(await run(`issuer remove acme ${ISSUER} --yes`)).toEqual([expect.stringMatching(/is removed/)]);
    expect(await run("issuer list acme")).toEqual(["There are no issuers."]);
  });

  it.each([
    [`--preset okta --domain acme.okta.com --email-vouched-by administrator`, "https://acme.okta.com/oauth2/default"],
    [`--preset entra --tenant ${TENANT} --audience ${API}`, `https://login.microsoftonline.com/${TENANT}/v2.0`],
    [
      `--preset entra --tenant ${TENANT} --audience api://${API} --token-version 1`,
      `https://sts.windows.net/${TENANT}/`,
    ],
    [`--preset google --domain acme.example`, "https://accounts.google.com"],
    [
      `--preset onelogin --domain acme.onelogin.com --audience api --email-vouched-by administrator`,
      "https://acme.onelogin.com/oidc/2",
    ],
    [
      `--preset auth0 --domain acme.eu.auth0.com --audience api --namespace https://acme.example/`,
      "https://acme.eu.auth0.com/",
    ],
    [`--preset keycloak --realm https://sso.example/realms/acme`, "https://sso.example/realms/acme"],
  ])("adds an issuer with %s", async (preset, issuer) => {
    await run(`issuer add acme ${preset} --client-id portal --email-domain acme.example --offline`);
    expect(await configurations()).toMatchObject([{ issuer, scopes: ["SEARCH"], clientIds: ["portal"] }]);
    await run(`issuer remove acme ${issuer} --yes`);
  });

  it("lists the presets with the options that each needs", async () => {
    const text = (await run("issuer presets")).join("\n");
    for (const word of [
      "okta",
      "entra",
      "google",
      "onelogin",
      "auth0",
      "keycloak",
      "--tenant",
      "--realm",
      "xms_edov",
      "--email-vouched-by",
    ]) {
      expect(text).toContain(word);
    }
  });

  describe("with an issuer that can be reached", () => {
    let server: Server;
    let origin: string;

    beforeAll(async () => {
      server = createServer((request, response) => {
        const key = { kty: "RSA", n: "AQAB", e: "AQAB", kid: "1" };
        const isDiscovery = request.url === "/.well-known/openid-configuration";
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(isDiscovery ? { issuer: origin, jwks_uri: `${origin}/keys` } : { keys: [key] }));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    });

    afterAll(() => new Promise((resolve) => server.close(resolve)));

    it("prints how many keys it found", async () => {
      const lines = await run(
        `issuer add acme --issuer ${origin} --client-id portal --email-domain acme.example --audience api`,
      );
      expect(lines[1]).toBe(`Its keys are at ${origin}/keys: 1, of them 1 for RS256.`);
      expect(lines).toHaveLength(2);
      await run(`issuer remove acme ${origin} --yes`);
    });

    it("registers an issuer whose keys cannot be fetched, and warns", async () => {
      const lines = await run(
        `issuer add acme --issuer ${origin}/elsewhere --client-id portal --email-domain acme.example --audience api`,
      );
      expect(lines[1]).toMatch(/^Warning: The keys of .* cannot be fetched now/);
      await run(`issuer remove acme ${origin}/elsewhere --yes`);
    });
  });

  const plain = `issuer add acme --issuer ${ISSUER} --client-id portal --email-domain acme.example --offline`;

  it.each([
    ["no issuer", "issuer add acme --client-id portal --email-domain acme.example", "--issuer"],
    ["an issuer and a preset", `${plain} --preset okta`, "use --issuer or --preset, not both"],
    ["a preset's option without a preset", `${plain} --tenant x`, "--preset"],
    [
      "a preset that does not exist",
      "issuer add acme --preset ping --client-id portal --email-domain acme.example",
      "okta, entra",
    ],
    [
      "a preset that lacks something",
      "issuer add acme --preset entra --client-id portal --email-domain acme.example",
      "--tenant",
    ],
    ["emails that nobody vouches for", "issuer add acme --preset okta --domain a.okta.com --client-id x", "vouched"],
    [
      "a token version that does not exist",
      `issuer add acme --preset entra --tenant ${TENANT} --audience ${API} --client-id x --token-version 3`,
      "1 or 2",
    ],
    ["no client id", `issuer add acme --issuer ${ISSUER}`, "client ids"],
    ["an unknown option", `${plain} --clientid x`, "--clientid"],
    ["an unknown instance", `issuer add nowhere --issuer ${ISSUER} --client-id x`, "nowhere"],
    ["an issuer over http", "issuer add acme --issuer http://idp.example --client-id x", "https"],
    ["an issuer that is no URL", "issuer add acme --issuer idp --client-id x", "https URL"],
    ["an algorithm with a shared secret", `${plain} --algorithm HS256`, "shared secret"],
    ["an unknown scope", `${plain} --scope EVERYTHING`, "SEARCH, CHAT, DOCUMENTS"],
    ["a person by name", `${plain} --person-by name`, "email or by subject"],
    ["a subject without that SSO", `${plain} --person-by subject`, "same issuer"],
    ["an email that nobody vouches for", `${plain} --email-vouched-by me`, "vouched by"],
    ["a claim without a value", `${plain} --require-claim org`, "<claim>=<value>"],
    ["Google for everybody", "issuer add acme --issuer https://accounts.google.com --client-id x", "hd="],
    ["an edit of nothing", `issuer edit acme ${ISSUER}`, "Say what to change"],
    ["an edit of an issuer that does not exist", "issuer edit acme https://no.example --name x", "no issuer"],
    ["disabling an issuer that does not exist", "issuer disable acme https://no.example --yes", "no issuer"],
    ["enabling an issuer that does not exist", "issuer enable acme https://no.example", "no issuer"],
    ["removing an issuer that does not exist", "issuer remove acme https://no.example --yes", "no issuer"],
    ["removing no issuer", "issuer remove acme", "'issuer'"],
  ])("refuses %s, in one sentence that says what is wrong, and adds nothing", async (_name, line, named) => {
    const refusal = await run(line).then(() => "nothing was refused", explainFailure);
    expect(refusal).toContain(named);
    expect(refusal).not.toContain("\n");
    expect(await configurations()).toEqual([]);
  });

  describe("explain, with a token from standard input", () => {
    let issuer: string;

    beforeAll(async () => {
      issuer = await publishIssuer();
      await run(
        `issuer add acme --issuer ${issuer} --client-id portal --email-domain acme.example --audience gatehouse --offline`,
      );
    });

    afterEach(() => {
      vi.restoreAllMocks();
    });

    /** Runs the command with a token in standard input. */
    function explain(token: string, options: string): Promise<string[]> {
      vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([`${token}\n`]) as never);
      return run(`issuer explain acme ${options}`.trim());
    }

    it("prints the response of the gate and the reason, but not the token's signature", async () => {
      const token = await signToken(issuer, { aud: "gatehouse", azp: "stranger" });
      const lines = await explain(token, "--header");
      expect(lines[0]).toMatch(/^403 client_not_registered: /);
      expect(lines.find((line) => line.startsWith("FAIL"))).toMatch(/Application: The claim azp is "stranger"/);
      expect(lines.join("\n")).not.toContain(token.split(".")[2]);
      expect((await explain(await signToken(issuer, { aud: "gatehouse", azp: "portal" }), "--header"))[0]).toBe(
        "200: let in",
      );
    });

    it("says that the request needs the header X-<Service>-Auth-Type if it is sent without", async () => {
      const token = await signToken(issuer, { aud: "gatehouse", azp: "portal" });
      expect((await explain(token, ""))[0]).toMatch(/^401 invalid_secret: .*X-Gatehouse-Auth-Type: OAUTH/);
    });

    it("says that the token is missing or the route unknown", async () => {
      await expect(explain("", "--header")).rejects.toThrow(/standard input/);
      await expect(explain("x", "--route /nowhere")).rejects.toThrow(/^--route is not acceptable: .*POST/);
    });
  });
});
