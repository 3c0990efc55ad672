import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { SERVICE_TOKEN_KINDS } from "#service-tokens/service-token.ts";
import { at, type Changed } from "./admin-api.ts";
import type { ApiCommand, Input } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";
import { listOptions, listValues, oneOf, wordsIn } from "./option-values.ts";
import { table, time } from "./table.ts";

interface Token {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly personEmail: string | null;
  readonly networks: readonly string[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

const DAY_SECONDS = 24 * 3600;

export const tokenCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "token create <instance>",
    purpose:
      "create a token; its secret is shown once. indexing: a pipeline's, with scopes documents:<datasource>, documents:global_scope, custommetadata:<group> or custommetadata:global_scope. " +
      "client-api: one person's, for the Client API; without --expires-in-days it doesn't expire. admin: a program's, for the Admin API, with scopes such as admin:read. scim: a directory's, with scope directory:<name>. Tokens of programs are valid for at most 366 days",
    examples: [
      'token create acme --kind indexing --scope documents:wiki --expires-in-days 90 --name "wiki sync" --network 192.0.2.0/24',
      "token create acme --kind client-api --person ada@example.com --scope SEARCH --expires-in-days 30 --name report",
      "token create acme --kind scim --scope directory:okta --expires-in-days 366 --name Okta",
      "token create acme --kind admin --scope admin:read --expires-in-days 90 --name terraform",
    ],
    needs: {
      "--kind <kind>": SERVICE_TOKEN_KINDS.join(", "),
      "--name <name>": "what it is for, shown in lists",
      "--scope <scope> …": "what it gives access to",
    },
    options: {
      "--person <email>": "the person that a client-api token acts for",
      "--new-person": "accept a person who has never signed in",
      "--expires-in-days <days>": "when it ends",
      "--network <CIDR> …": "where it can be used from; without it, anywhere",
    },
    members: { scopes: "--scope", lifetimeSeconds: "--expires-in-days" },
    async run(input, api) {
      const answer = await api.call<{ readonly token: Token; readonly secret: string }>("POST", "/tokens", {
        kind: oneOf("--kind", input.option("kind") ?? "", SERVICE_TOKEN_KINDS),
        name: input.option("name"),
        scopes: wordsIn(input.all("scope")),
        person: input.option("person") ?? null,
        newPerson: input.flag("new-person"),
        lifetimeSeconds: readLifetime(input),
        networks: wordsIn(input.all("network")),
      });
      return { answer, lines: [`${answer.secret}   (shown only once)`] };
    },
  },
  {
    asks: "api",
    usage: "token list <instance>",
    purpose: "list tokens without their secrets: scopes, person, networks, expiry, hour of the last use",
    examples: ["token list acme --state running"],
    options: listOptions(TOKEN_LIST, "a part of the name"),
    async run(input, api) {
      const answer = await api.list<Token>("/tokens", listValues(input, TOKEN_LIST));
      const rows = answer.items.map((token) => [
        token.id,
        token.kind,
        token.name,
        token.scopes.join(" "),
        token.personEmail ?? "",
        token.networks.length === 0 ? "anywhere" : token.networks.join(" "),
        token.revokedAt !== null ? "revoked" : token.expiresAt === null ? "never" : time(token.expiresAt),
        token.lastUsedAt === null ? "never" : time(token.lastUsedAt),
      ]);
      const headers = ["token id", "kind", "name", "scopes", "person", "networks", "expires", "last used"];
      return { answer, lines: table("tokens", headers, rows) };
    },
  },
  {
    asks: "api",
    usage: "token rotate <instance> <token-id>",
    purpose: "create a new secret, shown once. The old one works for ten more minutes; with --now it stops at once",
    examples: ["token rotate acme Kc3… --now"],
    options: { "--now": "end the old secret at once" },
    asksFirst: true,
    async run(input, api) {
      const id = input.word("token-id");
      const endOthersNow = input.flag("now");
      if (endOthersNow)
        await input.confirm(`Programs that use token ${id} are refused until they have the new secret.`);
      const answer = await api.call<{ readonly secret: string }>("POST", at`/tokens/${id}/rotate`, { endOthersNow });
      return { answer, lines: [`${answer.secret}   (shown only once)`] };
    },
  },
  {
    asks: "api",
    usage: "token revoke <instance> <token-id>",
    purpose: "revoke a token. It stops working within 10 seconds",
    examples: ["token revoke acme Kc3…"],
    asksFirst: true,
    async run(input, api) {
      const id = input.word("token-id");
      await input.confirm(
        `Programs that use token ${id} are refused from now on; admin tokens that it issued end too.`,
      );
      const answer = await api.call<Changed>("POST", at`/tokens/${id}/revoke`);
      if (!answer.changed) throw new UsageError(`There is no active token ${id} in ${api.instance}`);
      return { answer, lines: [`The token ${id} is revoked.`] };
    },
  },
];

function readLifetime(input: Input): number | null {
  const days = input.option("expires-in-days");
  if (days === undefined) return null;
  if (!/^[1-9][0-9]{0,3}$/.test(days)) throw new CommandLineError("--expires-in-days must be a number of days");
  return Number(days) * DAY_SECONDS;
}
