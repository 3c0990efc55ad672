import { SERVICE_TOKEN_KINDS, type ServiceTokenKind } from "#service-tokens/service-token.ts";
import type { TokenListing } from "#service-tokens/token-listing.ts";
import { servicesOf } from "#services.ts";
import { type Arguments, parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, type AdminContext, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

const TOKENS_PER_READ = 500;

const DAY_SECONDS = 24 * 3600;

export const tokenCommands: readonly Command[] = [
  {
    name: "token create",
    usage:
      "<instance> --kind indexing --scope <custommetadata:… | documents:…> --expires-in-days <days> --name <name> [--network <CIDR> …] [--json]\n" +
      "  token create <instance> --kind client-api --person <email> --scope <SEARCH …> [--expires-in-days <days>] " +
      "--name <name> [--network <CIDR> …] [--json]\n" +
      "  token create <instance> --kind admin --scope <admin:read …> --expires-in-days <days> --name <name> [--network <CIDR> …] [--json]",
    purpose: "create a token; its secret is shown once",
    async run(words, context) {
      const args = parseArguments(words, {
        kind: { type: "string" },
        scope: { type: "string", multiple: true },
        person: { type: "string" },
        name: { type: "string" },
        "expires-in-days": { type: "string" },
        network: { type: "string", multiple: true },
        json: { type: "boolean" },
      });
      const instance = await requireInstance(context, args);
      const draft = {
        kind: requireKind(args.required("kind")),
        name: args.required("name"),
        scopes: args.all("scope").flatMap((list) => list.split(/[ ,]+/)),
        person: args.option("person") ?? null,
        lifetimeSeconds: parseLifetime(args),
        networks: args.all("network").flatMap((list) => list.split(/[ ,]+/)),
      };
      const { administration } = servicesOf(context.bindings);
      const { token, secret } = await administration.serviceTokens.issue(instance, draft, ACTOR);
      context.print(args.flag("json") ? JSON.stringify({ id: token.id, secret }) : `${secret}   (shown only once)`);
      return { id: token.id, secret };
    },
  },
  {
    name: "token list",
    usage: "<instance>",
    purpose: "list service-issued tokens, without their secrets",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      const ids: string[] = [];
      for await (const token of allTokens(context, instance.id)) {
        context.print(describe(token));
        ids.push(token.id);
      }
      return { tokens: ids };
    },
  },
  {
    name: "token rotate",
    usage: "<instance> <token id> [--now] [--json]",
    purpose: "replace a token's secret; the old one works for ten more minutes, or stops at once with --now",
    async run(words, context) {
      const args = parseArguments(words, { now: { type: "boolean" }, json: { type: "boolean" } });
      const instance = await requireInstance(context, args);
      const id = args.word(1, "token id");
      const { administration } = servicesOf(context.bindings);
      const secret = await administration.serviceTokens.rotate(instance, id, args.flag("now"), ACTOR);
      context.print(args.flag("json") ? JSON.stringify({ id, secret }) : `${secret}   (shown only once)`);
      return { id, secret };
    },
  },
  {
    name: "token revoke",
    usage: "<instance> <token id>",
    purpose: "revoke a token, within 10 seconds",
    async run(words, context) {
      const args = parseArguments(words, {});
      const instance = await requireInstance(context, args);
      const id = args.word(1, "token id");
      if (!(await servicesOf(context.bindings).administration.serviceTokens.revoke(instance, id, ACTOR))) {
        throw new UsageError(`There is no active token ${id} in ${instance.name}`);
      }
      context.print(`The token ${id} is revoked.`);
      return { id };
    },
  },
];

function describe(token: TokenListing): string {
  const date = (seconds: number) => new Date(seconds * 1000).toISOString();
  const expires = token.expiresAt === null ? "no expiry" : `expires ${date(token.expiresAt)}`;
  return [
    token.id,
    token.kind,
    token.name,
    token.scopes.join(" "),
    ...(token.personEmail === null ? [] : [token.personEmail]),
    token.networks.length === 0 ? "from anywhere" : `from ${token.networks.join(" ")}`,
    token.revokedAt === null ? expires : "revoked",
    token.lastUsedAt === null ? "never used" : `last used in the hour of ${date(token.lastUsedAt)}`,
  ].join("  ");
}

async function* allTokens({ bindings }: AdminContext, instanceId: number): AsyncGenerator<TokenListing> {
  const { issuedTokens } = servicesOf(bindings);
  for (const state of ["running", "ended"] as const) {
    for (let before: TokenListing | null = null; ; ) {
      const now = Math.floor(Date.now() / 1000);
      const { tokens } = await issuedTokens.page(instanceId, state, "", before, TOKENS_PER_READ, now);
      yield* tokens;
      if (tokens.length < TOKENS_PER_READ) break;
      before = tokens.at(-1) ?? null;
    }
  }
}

function requireKind(kind: string): ServiceTokenKind {
  const found = SERVICE_TOKEN_KINDS.find((known) => known === kind);
  if (found !== undefined) return found;
  throw new UsageError(`--kind must be one of ${SERVICE_TOKEN_KINDS.join(", ")}`);
}

function parseLifetime(args: Arguments): number | null {
  const days = args.option("expires-in-days");
  if (days === undefined) return null;
  if (!/^[1-9][0-9]{0,3}$/.test(days)) throw new UsageError("--expires-in-days must be a number of days");
  return Number(days) * DAY_SECONDS;
}
