import { parseScope, SCOPES, type Scope } from "#protocol/scopes.ts";
import { servicesOf } from "#services.ts";
import { type Arguments, parseArguments } from "./arguments.ts";
import type { Command } from "./commands.ts";
import { ACTOR, type AdminContext, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

export const clientCommands: readonly Command[] = [
  {
    name: "client create",
    usage: "<instance> --name <name> --redirect-uri <uri> … [--scope <scope> …] [--confidential] [--json]",
    purpose: "make a client; a confidential one has a secret, shown once",
    async run(words, context) {
      const args = parseArguments(words, {
        name: { type: "string" },
        "redirect-uri": { type: "string", multiple: true },
        scope: { type: "string", multiple: true },
        confidential: { type: "boolean" },
        json: { type: "boolean" },
      });
      const instance = await requireInstance(context, args);
      const redirectUris = args.all("redirect-uri");
      if (redirectUris.length === 0) throw new UsageError("Name at least one --redirect-uri");
      const scopes = readScopes(args);
      const order = {
        name: args.required("name"),
        redirectUris,
        scopes: scopes.length === 0 ? SCOPES : scopes,
        tokenEndpointAuthMethod: args.flag("confidential") ? ("client_secret_basic" as const) : ("none" as const),
      };
      const { client, secret } = await servicesOf(context.bindings).staticClients.create(instance.id, order, ACTOR);
      const outcome = { clientId: client.id, ...(secret === undefined ? {} : { clientSecret: secret }) };
      if (args.flag("json")) context.print(JSON.stringify(outcome));
      else {
        context.print(`client_id      ${client.id}`);
        if (secret !== undefined) context.print(`client_secret  ${secret}   (shown this once)`);
      }
      return outcome;
    },
  },
  {
    name: "client list",
    usage: "<instance>",
    purpose: "list the clients, made and registered",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      const clients = await servicesOf(context.bindings).staticClients.list(instance.id);
      for (const client of clients) {
        const state = client.isDisabled ? "disabled" : client.isPending ? "waits for approval" : "enabled";
        context.print(
          `${client.id}  ${client.kind}  ${state}  ${client.name}  ${client.scopes.join(" ")}  ${client.redirectUris.join(" ")}`,
        );
      }
      return { clients: clients.map(({ id }) => id) };
    },
  },
  {
    name: "client edit",
    usage: "<instance> <client id> [--name <name>] [--redirect-uri <uri> …] [--scope <scope> …]",
    purpose: "change a client; running tokens lose a scope that is taken away within 10 seconds",
    async run(words, context) {
      const args = parseArguments(words, {
        name: { type: "string" },
        "redirect-uri": { type: "string", multiple: true },
        scope: { type: "string", multiple: true },
      });
      const { instance, client, staticClients } = await requireClient(args, context);
      const name = args.option("name");
      const redirectUris = args.all("redirect-uri");
      const scopes = readScopes(args);
      if (scopes.length > 0 && client.kind !== "static") {
        throw new UsageError(
          "This client was not made by an administrator: narrow dynamicScopes for all of them, or disable it",
        );
      }
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(redirectUris.length === 0 ? {} : { redirectUris }),
        ...(scopes.length === 0 ? {} : { scopes }),
      };
      await staticClients.edit(instance.id, client, changes, ACTOR);
      context.print(`The client ${client.id} is changed.`);
      return { clientId: client.id, ...changes };
    },
  },
  {
    name: "client rotate-secret",
    usage: "<instance> <client id>",
    purpose: "replace a confidential client's secret at once; the new one is shown once",
    async run(words, context) {
      const { instance, client, staticClients } = await requireClient(parseArguments(words, {}), context);
      if (client.tokenEndpointAuthMethod === "none")
        throw new UsageError(`The client ${client.id} is public: it has no secret`);
      const clientSecret = await staticClients.rotateSecret(instance.id, client.id, ACTOR);
      context.print(`client_secret  ${clientSecret}   (shown this once)`);
      return { clientId: client.id, clientSecret };
    },
  },
  {
    name: "client approve",
    usage: "<instance> <client id>",
    purpose: "let a client in that registered and waits",
    async run(words, context) {
      const { instance, client, staticClients } = await requireClient(parseArguments(words, {}), context);
      if (!(await staticClients.approve(instance.id, client.id, ACTOR))) {
        throw new UsageError(`The client ${client.id} does not wait for approval`);
      }
      context.print(`The client ${client.id} is approved.`);
      return { clientId: client.id };
    },
  },
  {
    name: "client disable",
    usage: "<instance> <client id>",
    purpose: "end a client and its tokens, within 10 seconds",
    async run(words, context) {
      const { instance, client, staticClients } = await requireClient(parseArguments(words, {}), context);
      if (!(await staticClients.disable(instance.id, client.id, ACTOR))) {
        throw new UsageError(`The client ${client.id} is disabled already`);
      }
      context.print(`The client ${client.id} is disabled.`);
      return { clientId: client.id };
    },
  },
  {
    name: "client delete",
    usage: "<instance> <client id>",
    purpose: "delete a client with all that people granted it",
    async run(words, context) {
      const { instance, client, staticClients } = await requireClient(parseArguments(words, {}), context);
      await staticClients.remove(instance.id, client.id, ACTOR);
      context.print(`The client ${client.id} is gone.`);
      return { clientId: client.id };
    },
  },
];

async function requireClient(args: Arguments, context: AdminContext) {
  const { clientDirectory, staticClients } = servicesOf(context.bindings);
  const instance = await requireInstance(context, args);
  const clientId = args.word(1, "client id");
  const client = await clientDirectory.find(instance.id, clientId);
  if (!client) throw new UsageError(`There is no client ${clientId} in ${instance.name}`);
  return { instance, client, staticClients };
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
