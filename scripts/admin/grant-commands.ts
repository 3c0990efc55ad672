import { servicesOf } from "#services.ts";
import { parseSettings } from "#settings/settings.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

export const grantCommands: readonly Command[] = [
  {
    name: "grant list",
    usage: "<instance> [--person <email>] [--client <id or name>]",
    purpose: "list grants: who allowed which app what; filter by the start of an email or name",
    async run(words, context) {
      const args = parseArguments(words, { person: { type: "string" }, client: { type: "string" } });
      const instance = await requireInstance(context, args);
      const { grants } = servicesOf(context.bindings);
      const search = { person: args.option("person") ?? "", client: args.option("client") ?? "" };
      const listed: string[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page = await grants.page(policyOf(instance), search, after);
        for (const { id, personEmail, clientName, clientId, scope, createdAt, lastTokensAt } of page.grants) {
          const since = `since ${dateOf(createdAt)}  last tokens ${dateOf(lastTokensAt)}`;
          context.print([id, personEmail, clientName, clientId, scope, since].join("  "));
          listed.push(id);
        }
        after = page.next;
      }
      return { grants: listed };
    },
  },
  {
    name: "grant revoke",
    usage: "<instance> <grant id> | <instance> --all",
    purpose: "revoke a grant, or all grants, within 10 seconds",
    async run(words, context) {
      const args = parseArguments(words, { all: { type: "boolean" } });
      const instance = await requireInstance(context, args);
      const { administration, grants } = servicesOf(context.bindings);
      const policy = policyOf(instance);
      if (args.flag("all")) {
        const revoked = await administration.grants.revokeAll(instance, ACTOR);
        context.print(`${revoked} grants of ${instance.name} are ended.`);
        return { revoked };
      }
      const id = args.word(1, "grant id");
      const grant = await grants.find(policy, id);
      if (!grant) throw new UsageError(`There is no active grant ${id} in ${instance.name}`);
      await administration.grants.revoke(instance, grant, ACTOR);
      context.print(`${grant.clientName} no longer has access for ${grant.personEmail}.`);
      return { revoked: 1 };
    },
  },
];

function policyOf({ id: instanceId, name, settings }: InstanceRecord) {
  return { instanceId, name, settings: parseSettings(settings) };
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
