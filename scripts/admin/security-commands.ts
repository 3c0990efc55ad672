import { connectionSchema } from "#single-sign-on/connection.ts";
import type * as v from "valibot";
import { at } from "./admin-api.ts";
import type { ApiCommand, Input } from "./command.ts";
import { oneOf, parsePair } from "./option-values.ts";
import { readSecret, secretOptions } from "./standard-input.ts";
import { members, table, time } from "./table.ts";

type Connection = Omit<v.InferOutput<typeof connectionSchema>, "clientSecret">;

type ListedSso = Connection & { readonly redirectUri: string };

interface SigningKey {
  readonly kid: string;
  readonly stage: string;
  readonly createdAt: number;
  readonly stagedAt: number;
}

/** The scopes that `sso set` requests by default, without `groups`, which is not a standard scope. */
const SSO_SCOPES = "openid profile email";

/** The options of commands that connect an SSO. */
const CONNECTING = {
  needs: {
    "--issuer <url>": "the SSO's issuer, exactly as in its discovery document",
    "--client-id <id>": "the client that you registered there",
  },
  options: {
    ...secretOptions("client-secret", "its secret"),
    "--groups-claim <claim>": "the claim that lists a person's groups; groups by default",
    "--email-claim <claim>": "the claim with the person's email; email by default",
    "--require-claim <claim=value> …": "refuse people without it",
    "--scope <list>": `the scopes to request from the SSO; "${SSO_SCOPES}" by default`,
    "--client-authentication <method>": "client_secret_basic or client_secret_post",
    "--email-vouched-by <who>": "token, or administrator where you vouch for unverified emails",
    "--email-domain <domain> …": "only people with these addresses can sign in; with several SSOs, each needs its own",
    "--label <text>": "what its button on the sign-in page says, if there are several",
    "--groups-meet-directory":
      "its groups are the directory's; otherwise, a further SSO's have the issuer in their names",
  },
  members: {
    scopes: "--scope",
    clientSecret: "--client-secret-from-env",
    requiredClaims: "--require-claim",
    emailDomains: "--email-domain",
  },
} as const;

export const securityCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "sso set <instance>",
    purpose: "connect the SSO, or replace the connection; its redirect URI is https://<host>/oauth/callback",
    examples: [
      "sso set acme --issuer https://sso.example.com --client-id gatehouse --client-secret-from-env SSO_SECRET",
    ],
    ...CONNECTING,
    async run(input, api) {
      const answer = await api.call<Connection>("PUT", "/single-sign-on", {
        issuer: input.option("issuer"),
        ...(await readConnection(input)),
      });
      return { answer, lines: [`${api.instance} signs people in at ${answer.issuer}.`] };
    },
  },
  {
    asks: "api",
    usage: "sso add <instance>",
    purpose: "connect another SSO, or replace the connection to it; its people are others than those of the rest",
    examples: [
      "sso add acme --issuer https://sso.other.example --client-id gatehouse --client-secret-from-env SSO_SECRET --email-domain other.example",
    ],
    ...CONNECTING,
    async run(input, api) {
      const path = at`/single-sign-ons/${input.option("issuer") ?? ""}`;
      const answer = await api.call<ListedSso>("PUT", path, await readConnection(input));
      return { answer, lines: [`${answer.issuer} is connected. Its redirect URI is ${answer.redirectUri}`] };
    },
  },
  {
    asks: "api",
    usage: "sso remove <instance> <issuer>",
    purpose: "remove one of several SSOs. What people got there ends, and they can't sign in any more",
    examples: ["sso remove acme https://sso.other.example"],
    asksFirst: true,
    async run(input, api) {
      const issuer = input.word("issuer");
      await input.confirm(`Everybody who signed in at ${issuer} loses access: sessions, apps and their tokens.`);
      const answer = await api.call("DELETE", at`/single-sign-ons/${issuer}`);
      return { answer, lines: [`${issuer} is removed. This takes effect within 10 seconds.`] };
    },
  },
  {
    asks: "api",
    usage: "sso list <instance>",
    purpose: "list the SSOs where people sign in, and our redirect URI at each",
    examples: ["sso list acme"],
    async run(_input, api) {
      const answer = await api.list<ListedSso>("/single-sign-ons");
      const rows = answer.items.map(({ issuer, emailDomains = [], redirectUri }) => [
        issuer,
        emailDomains.join(" "),
        redirectUri,
      ]);
      return { answer, lines: table("SSOs", ["issuer", "email domains", "redirect URI"], rows) };
    },
  },
  {
    asks: "api",
    usage: "sso show <instance>",
    purpose: "show the connection to the SSO, or the first one, without its secret",
    examples: ["sso show acme"],
    async run(_input, api) {
      const answer = await api.get<Connection>("/single-sign-on");
      return { answer, lines: members(answer) };
    },
  },
  {
    asks: "api",
    usage: "signing-key rotate <instance>",
    purpose: "start signing with a new key",
    examples: ["signing-key rotate acme --compromised"],
    options: { "--compromised": "withdraw the old key too, which ends its access tokens" },
    asksFirst: true,
    members: { isCompromised: "--compromised" },
    async run(input, api) {
      const isCompromised = input.flag("compromised");
      if (isCompromised) await input.confirm(`Every access token of ${api.instance} ends, and apps have to refresh.`);
      const answer = await api.call("POST", "/signing-keys", { isCompromised });
      return { answer, lines: [`${api.instance} signs with a new key.`] };
    },
  },
  {
    asks: "api",
    usage: "signing-key list <instance>",
    purpose: "list the keys that sign access tokens",
    examples: ["signing-key list acme"],
    async run(_input, api) {
      const answer = await api.list<SigningKey>("/signing-keys");
      const rows = answer.items.map(({ kid, stage, createdAt, stagedAt }) => [
        kid,
        stage,
        time(createdAt),
        time(stagedAt),
      ]);
      return { answer, lines: table("signing keys", ["key", "stage", "created", "since"], rows) };
    },
  },
];

async function readConnection(input: Input) {
  const emailDomains = input.all("email-domain");
  const label = input.option("label");
  return {
    clientId: input.option("client-id"),
    clientSecret: await readSecret(input, "client-secret"),
    scopes: input.option("scope") ?? SSO_SCOPES,
    groupsClaim: input.option("groups-claim") ?? "groups",
    emailClaim: input.option("email-claim") ?? "email",
    requiredClaims: Object.fromEntries(input.all("require-claim").map((pair) => parsePair(pair, "<claim>=<value>"))),
    ...(emailDomains.length > 0 && { emailDomains }),
    ...(label !== undefined && { label }),
    ...(input.flag("groups-meet-directory") && { groupsMeetDirectory: true }),
    ...readVouching(input),
    ...readAuthentication(input),
  };
}

function readVouching(input: Input) {
  const who = input.option("email-vouched-by");
  if (who === undefined) return {};
  const vouchedBy = oneOf("--email-vouched-by", who, ["token", "administrator"]);
  return vouchedBy === "token" ? {} : { emailVouchedBy: vouchedBy };
}

function readAuthentication(input: Input) {
  const method = input.option("client-authentication");
  if (method === undefined) return {};
  const methods = ["client_secret_basic", "client_secret_post"] as const;
  return { clientAuthentication: oneOf("--client-authentication", method, methods) };
}
