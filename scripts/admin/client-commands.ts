import type { ClientKeys } from "#clients/client-keys.ts";
import { requireEnteredKeys } from "#clients/entered-keys.ts";
import { parseScope, SCOPES, type Scope } from "#protocol/scopes.ts";
import { servicesOf } from "#services.ts";
import { type Arguments, parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, type AdminContext, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

const KEY_OPTIONS = { "jwks-uri": { type: "string" }, jwks: { type: "string" } } as const;

export const clientCommands: readonly Command[] = [
  {
    name: "client create",
    usage:
      "<instance> --name <name> --redirect-uri <uri> … [--scope <scope> …] [--confidential | --jwks-uri <url> | --jwks <JWK Set>] [--json]",
    purpose: "create a client; a confidential client has a secret, shown once; a client with keys signs its requests",
    async run(words, context) {
      const args = parseArguments(words, {
        name: { type: "string" },
        "redirect-uri": { type: "string", multiple: true },
        scope: { type: "string", multiple: true },
        confidential: { type: "boolean" },
        ...KEY_OPTIONS,
        json: { type: "boolean" },
      });
      const instance = await requireInstance(context, args);
      const redirectUris = args.all("redirect-uri");
      if (redirectUris.length === 0) throw new UsageError("Add at least one --redirect-uri");
      const scopes = readScopes(args);
      const order = {
        name: args.required("name"),
        redirectUris,
        scopes: scopes.length === 0 ? SCOPES : scopes,
        ...readAuthentication(args),
      };
      const { client, secret } = await servicesOf(context.bindings).administration.clients.create(
        instance,
        order,
        ACTOR,
      );
      const outcome = { clientId: client.id, ...(secret === undefined ? {} : { clientSecret: secret }) };
      if (args.flag("json")) context.print(JSON.stringify(outcome));
      else {
        context.print(`client_id      ${client.id}`);
        if (secret !== undefined) context.print(`client_secret  ${secret}   (shown only once)`);
      }
      return outcome;
    },
  },
  {
    name: "client list",
    usage: "<instance>",
    purpose: "list all clients, static and registered",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      const ids: string[] = [];
      for await (const client of allClients(context, instance.id)) {
        ids.push(client.id);
        const state = client.isDisabled ? "disabled" : client.isPending ? "waiting for approval" : "enabled";
        context.print(
          `${client.id}  ${client.kind}  ${state}  ${client.name}  ${client.scopes.join(" ")}  ${client.redirectUris.join(" ")}`,
        );
      }
      return { clients: ids };
    },
  },
  {
    name: "client edit",
    usage:
      "<instance> <client id> [--name <name>] [--redirect-uri <uri> …] [--scope <scope> …] [--jwks-uri <url> | --jwks <JWK Set>]",
    purpose: "change a client; existing tokens lose removed scopes within 10 seconds",
    async run(words, context) {
      const args = parseArguments(words, {
        name: { type: "string" },
        "redirect-uri": { type: "string", multiple: true },
        scope: { type: "string", multiple: true },
        ...KEY_OPTIONS,
      });
      const { administration, instance, client } = await requireClient(args, context);
      const name = args.option("name");
      const redirectUris = args.all("redirect-uri");
      const scopes = readScopes(args);
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(redirectUris.length === 0 ? {} : { redirectUris }),
        ...(scopes.length === 0 ? {} : { scopes }),
        ...readKeys(args),
      };
      await administration.clients.change(instance, client, changes, ACTOR);
      context.print(`The client ${client.id} is changed.`);
      return { clientId: client.id, ...changes };
    },
  },
  {
    name: "client rotate-secret",
    usage: "<instance> <client id>",
    purpose: "replace a confidential client's secret at once; the new one is shown once",
    async run(words, context) {
      const { administration, instance, client } = await requireClient(parseArguments(words, {}), context);
      const clientSecret = await administration.clients.rotateSecret(instance, client.id, ACTOR);
      context.print(`client_secret  ${clientSecret}   (shown only once)`);
      return { clientId: client.id, clientSecret };
    },
  },
  {
    name: "client approve",
    usage: "<instance> <client id>",
    purpose: "approve a waiting client",
    async run(words, context) {
      const { administration, instance, client } = await requireClient(parseArguments(words, {}), context);
      const outcome = await administration.clients.approve(instance, client, ACTOR);
      if (outcome === "changed") throw new UsageError(`The client ${client.id} has just changed: list it, then decide`);
      if (outcome === "not-waiting") throw new UsageError(`The client ${client.id} is not waiting for approval`);
      context.print(`The client ${client.id} is approved: ${client.name}, ${client.redirectUris.join(" ")}`);
      return { clientId: client.id };
    },
  },
  {
    name: "client deny",
    usage: "<instance> <client id>",
    purpose: "deny a waiting client",
    async run(words, context) {
      const { administration, instance, client } = await requireClient(parseArguments(words, {}), context);
      if (!(await administration.clients.deny(instance, client.id, ACTOR))) {
        throw new UsageError(`The client ${client.id} is not waiting for approval`);
      }
      context.print(`The client ${client.id} is denied.`);
      return { clientId: client.id };
    },
  },
  {
    name: "client disable",
    usage: "<instance> <client id>",
    purpose: "disable a client and its tokens, within 10 seconds",
    async run(words, context) {
      const { administration, instance, client } = await requireClient(parseArguments(words, {}), context);
      if (!(await administration.clients.disable(instance, client.id, ACTOR))) {
        throw new UsageError(`The client ${client.id} is already disabled`);
      }
      context.print(`The client ${client.id} is disabled.`);
      return { clientId: client.id };
    },
  },
  {
    name: "client enable",
    usage: "<instance> <client id>",
    purpose: "enable a disabled client again, with its grants",
    async run(words, context) {
      const { administration, instance, client } = await requireClient(parseArguments(words, {}), context);
      if (!(await administration.clients.enable(instance, client.id, ACTOR))) {
        throw new UsageError(`The client ${client.id} is already enabled`);
      }
      context.print(`The client ${client.id} is enabled.`);
      return { clientId: client.id };
    },
  },
  {
    name: "client delete",
    usage: "<instance> <client id>",
    purpose: "delete a client and its grants",
    async run(words, context) {
      const { administration, instance, client } = await requireClient(parseArguments(words, {}), context);
      await administration.clients.remove(instance, client.id, ACTOR);
      context.print(`The client ${client.id} is gone.`);
      return { clientId: client.id };
    },
  },
];

/** Every client of an instance, newest first, read a page at a time. */
async function* allClients({ bindings }: AdminContext, instanceId: number) {
  const { clientDirectory } = servicesOf(bindings);
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = await clientDirectory.page(instanceId, "all", "", after);
    yield* page.clients;
    after = page.next;
  }
}

async function requireClient(args: Arguments, context: AdminContext) {
  const { administration, clientDirectory } = servicesOf(context.bindings);
  const instance = await requireInstance(context, args);
  const clientId = args.word(1, "client id");
  const client = await clientDirectory.find(instance.id, clientId);
  if (!client) throw new UsageError(`There is no client ${clientId} in ${instance.name}`);
  return { administration, instance, client };
}

function readScopes(args: Arguments): Scope[] {
  return args
    .all("scope")
    .flatMap((list) => list.split(/[ ,]+/))
    .map(requireScope);
}

function requireScope(word: string): Scope {
  const scope = parseScope(word);
  if (scope) return scope;
  throw new UsageError(`There is no scope ${word}; there are ${SCOPES.join(", ")}`);
}

/** How a new client authenticates itself. */
function readAuthentication(args: Arguments) {
  const keys = readKeys(args);
  if (keys.keys !== undefined) {
    if (args.flag("confidential")) throw new UsageError("Use --confidential or the app's keys, not both");
    return { tokenEndpointAuthMethod: "private_key_jwt" as const, ...keys };
  }
  return { tokenEndpointAuthMethod: args.flag("confidential") ? ("client_secret_basic" as const) : ("none" as const) };
}

function readKeys(args: Arguments): { keys?: ClientKeys } {
  const [given, ...others] = ["jwks-uri", "jwks"].flatMap((name) => args.option(name) ?? []);
  if (others.length > 0) throw new UsageError("Give --jwks-uri or --jwks, not both");
  return given === undefined ? {} : { keys: requireEnteredKeys(given) };
}
