import { CLIENT_LIST } from "#clients/client-list.ts";
import { APP_REQUIREMENTS } from "#protocol/app-requirements.ts";
import { SCOPES, USUAL_SCOPES } from "#protocol/scopes.ts";
import { type AdminApi, at, type Changed } from "./admin-api.ts";
import type { ApiCommand, Input } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";
import { givenOptions, listOptions, listValues, scopesIn, wordsIn } from "./option-values.ts";
import { table, time } from "./table.ts";

interface App {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly isPending: boolean;
  readonly isDisabled: boolean;
  readonly changedAt: number;
  readonly lastUsedAt: number | null;
}

const IDENTITY = {
  "--name <name>": "the name that people see",
  "--redirect-uri <uri> …": "where it receives codes",
};

const CHANGES = {
  "--scope <scope> …": `of ${SCOPES.join(", ")}`,
  "--require <what> …": `what it must do: ${APP_REQUIREMENTS.join(", ")}; or none`,
  "--token-exchange <yes|no>": "whether it may exchange access tokens of other apps for its own",
  "--jwks-uri <url>": "the URL of the public keys that it authenticates with (private_key_jwt)",
  "--jwks <JWK Set>": "those public keys",
};

const MEMBERS = {
  mayExchangeTokens: "--token-exchange",
  scopes: "--scope",
  requirements: "--require",
  redirectUris: "--redirect-uri",
};

export const clientCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "client create <instance>",
    purpose:
      "create a static client. Without --scope it asks which scopes the client may request. --confidential creates a secret, shown once",
    examples: [
      "client create acme --name Intranet --redirect-uri https://intranet.example.com/cb --scope SEARCH --confidential",
    ],
    needs: IDENTITY,
    options: { "--confidential": "give it a secret", ...CHANGES },
    members: MEMBERS,
    async run(input, api) {
      const answer = await api.call<{ readonly app: App; readonly secret?: string }>("POST", "/apps", {
        name: input.option("name"),
        redirectUris: input.all("redirect-uri"),
        scopes: await chooseScopes(input),
        ...readRequirements(input),
        ...readTokenExchange(input),
        ...readAuthentication(input),
      });
      const { app, secret } = answer;
      const lines = [`client_id      ${app.id}`];
      if (secret !== undefined) lines.push(`client_secret  ${secret}   (shown only once)`);
      return { answer, lines };
    },
  },
  {
    asks: "api",
    usage: "client list <instance>",
    purpose: "list all clients, static and registered",
    examples: ["client list acme --state waiting"],
    options: listOptions(CLIENT_LIST, "a part of the name or of a redirect URI"),
    async run(input, api) {
      const answer = await api.list<App>("/apps", listValues(input, CLIENT_LIST));
      const rows = answer.items.map((app) => [
        app.id,
        app.name,
        app.kind,
        app.isDisabled ? "disabled" : app.isPending ? "waiting" : "enabled",
        time(app.lastUsedAt),
        app.scopes.join(" "),
        app.redirectUris.join(" "),
      ]);
      const headers = ["client id", "name", "kind", "state", "last used", "scopes", "redirect URIs"];
      return { answer, lines: table("clients", headers, rows) };
    },
  },
  {
    asks: "api",
    usage: "client edit <instance> <client-id>",
    purpose:
      "change the name, redirect URIs, scopes, public keys or requirements of a client. Lists replace the old ones, and replaced keys stop working at once",
    examples: ["client edit acme 4fV… --scope SEARCH"],
    options: { ...IDENTITY, ...CHANGES },
    members: MEMBERS,
    async run(input, api) {
      const redirectUris = input.all("redirect-uri");
      const changes = {
        ...givenOptions(input, ["name"]),
        ...(redirectUris.length === 0 ? {} : { redirectUris }),
        ...readScopes(input),
        ...readRequirements(input),
        ...readTokenExchange(input),
        ...readKeys(input),
      };
      if (Object.keys(changes).length === 0) throw new CommandLineError("Say what to change, such as --name");
      const answer = await api.call<App>("PATCH", at`/apps/${input.word("client-id")}`, changes);
      return { answer, lines: [`The client ${answer.id} is changed.`] };
    },
  },
  {
    asks: "api",
    usage: "client rotate-secret <instance> <client-id>",
    purpose: "create a new secret, shown once. The old one stops working at once",
    examples: ["client rotate-secret acme 4fV…"],
    asksFirst: true,
    async run(input, api) {
      const { id, name } = await appOf(input, api);
      await input.confirm(`${name} (${id}) can't get new tokens until it has the new secret.`);
      const answer = await api.call<{ readonly secret: string }>("POST", at`/apps/${id}/secret`);
      return { answer, lines: [`client_secret  ${answer.secret}   (shown only once)`] };
    },
  },
  {
    asks: "api",
    usage: "client approve <instance> <client-id>",
    purpose:
      "approve a client that no administrator created, with all installs of its app that have no more: they no longer wait, and stay usable after `registration off`. If it later changes what it says about itself, the approval is void",
    examples: ["client approve acme 9xQ…"],
    async run(input, api) {
      const { id, name, redirectUris, changedAt } = await appOf(input, api);
      const answer = await api.call<Changed>("POST", at`/apps/${id}/approve`, { changedAt });
      if (!answer.changed)
        throw new UsageError(`The client ${id} is approved already, disabled, or created by an administrator`);
      return { answer, lines: [`The client ${id} is approved: ${name}, ${redirectUris.join(" ")}`] };
    },
  },
  {
    asks: "api",
    usage: "client deny <instance> <client-id>",
    purpose: "deny a waiting client, with all installs of its app that wait",
    examples: ["client deny acme 9xQ…"],
    run: (input, api) => decide(input, api, "deny", ["is denied", "is not waiting for approval"]),
  },
  {
    asks: "api",
    usage: "client disable <instance> <client-id>",
    purpose:
      "disable a client with its tokens, and all installs of its app. The app can't register again, except under another name; rules for self-registered apps still apply to it",
    examples: ["client disable acme 9xQ…"],
    asksFirst: true,
    run: (input, api) =>
      decide(input, api, "disable", ["is disabled", "is already disabled"], "Its tokens stop working for everybody"),
  },
  {
    asks: "api",
    usage: "client enable <instance> <client-id>",
    purpose: "enable a client again, with its grants",
    examples: ["client enable acme 9xQ…"],
    run: (input, api) => decide(input, api, "enable", ["is enabled", "is already enabled"]),
  },
  {
    asks: "api",
    usage: "client delete <instance> <client-id>",
    purpose:
      "delete a client and its grants, with all installs of its app. A client with a metadata document comes back when it is used again; disable it instead",
    examples: ["client delete acme 9xQ…"],
    asksFirst: true,
    async run(input, api) {
      const { id, name } = await appOf(input, api);
      await input.confirm(`${name} (${id}) and its grants are deleted permanently.`);
      return { answer: await api.call<Changed>("DELETE", at`/apps/${id}`), lines: [`The client ${id} is deleted.`] };
    },
  },
];

function appOf(input: Input, api: AdminApi): Promise<App> {
  return api.get<App>(at`/apps/${input.word("client-id")}`);
}

/** @param loss what access ends, if any does; the command then asks first */
async function decide(
  input: Input,
  api: AdminApi,
  verb: string,
  [done, already]: readonly [done: string, already: string],
  loss?: string,
) {
  const { id, name } = await appOf(input, api);
  if (loss !== undefined) await input.confirm(`${name} (${id}): ${loss}.`);
  const answer = await api.call<Changed>("POST", at`/apps/${id}/` + verb);
  if (!answer.changed) throw new UsageError(`The client ${id} ${already}`);
  return { answer, lines: [`The client ${id} ${done}.`] };
}

/** Returns the scopes of a new client. Without `--scope`, it asks, and suggests what the console suggests. */
async function chooseScopes(input: Input): Promise<string[]> {
  const given = scopesIn(input.all("scope"));
  if (given.length > 0) return given;
  const answer = await input.ask(`Scopes, of ${SCOPES.join(", ")} (${USUAL_SCOPES.join(" ")}): `);
  if (answer === undefined) throw new CommandLineError(`Choose its scopes: --scope, of ${SCOPES.join(", ")}`);
  return answer.trim() === "" ? [...USUAL_SCOPES] : scopesIn([answer]);
}

/** Returns the scopes to send; none if `--scope` was not given. */
function readScopes(input: Input): { scopes?: string[] } {
  const scopes = scopesIn(input.all("scope"));
  return scopes.length === 0 ? {} : { scopes };
}

/** Returns the requirements to send; none if `--require` was not given. */
function readRequirements(input: Input): { requirements?: string[] } {
  const given = wordsIn(input.all("require"));
  return given.length === 0 ? {} : { requirements: given.filter((word) => word !== "none") };
}

function readTokenExchange(input: Input): { mayExchangeTokens?: boolean } {
  const given = input.option("token-exchange");
  if (given === undefined) return {};
  if (given !== "yes" && given !== "no") throw new CommandLineError("--token-exchange must be yes or no");
  return { mayExchangeTokens: given === "yes" };
}

/** Returns how a new client authenticates. */
function readAuthentication(input: Input) {
  const keys = readKeys(input);
  if (keys.keys === undefined) {
    return { tokenEndpointAuthMethod: input.flag("confidential") ? "client_secret_basic" : "none" };
  }
  if (input.flag("confidential")) throw new CommandLineError("Use --confidential or the app's keys, not both");
  return { tokenEndpointAuthMethod: "private_key_jwt", ...keys };
}

function readKeys(input: Input): { keys?: unknown } {
  const [jwksUri, jwks] = [input.option("jwks-uri"), input.option("jwks")];
  if (jwks === undefined) return jwksUri === undefined ? {} : { keys: { jwksUri } };
  if (jwksUri !== undefined) throw new CommandLineError("Give --jwks-uri or --jwks, not both");
  try {
    return { keys: { jwks: (JSON.parse(jwks) as { readonly keys?: unknown } | null)?.keys ?? [] } };
  } catch {
    throw new CommandLineError('--jwks is a JWK Set, such as {"keys":[…]}');
  }
}
