import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./commands.ts";
import { ACTOR, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

/** Read at once; the list goes on until its end. */
const GRANTS_PER_READ = 200;

export const grantCommands: readonly Command[] = [
  {
    name: "grant list",
    usage: "<instance> [--person <email>] [--client <id or name>]",
    purpose: "list who allowed which app what; the beginning of an email or name is enough",
    async run(words, context) {
      const args = parseArguments(words, { person: { type: "string" }, client: { type: "string" } });
      const instance = await requireInstance(context, args);
      const { grantRegister } = servicesOf(context.bindings);
      const search = { person: args.option("person") ?? "", client: args.option("client") ?? "" };
      const listed: string[] = [];
      for (let before: { createdAt: number; id: string } | null = null; ; ) {
        const grants = await grantRegister.list(instance.id, search, before, GRANTS_PER_READ);
        for (const { id, personEmail, clientName, clientId, scope, createdAt, lastTokensAt } of grants) {
          const since = `since ${dateOf(createdAt)}  last tokens ${dateOf(lastTokensAt)}`;
          context.print([id, personEmail, clientName, clientId, scope, since].join("  "));
          listed.push(id);
        }
        const last = grants.at(-1);
        if (!last || grants.length < GRANTS_PER_READ) return { grants: listed };
        before = { createdAt: last.createdAt, id: last.id };
      }
    },
  },
  {
    name: "grant revoke",
    usage: "<instance> <grant id> | <instance> --all",
    purpose: "end a person's grant to an app, or every grant there is, within 10 seconds",
    async run(words, context) {
      const args = parseArguments(words, { all: { type: "boolean" } });
      const instance = await requireInstance(context, args);
      const { grantRegister } = servicesOf(context.bindings);
      if (args.flag("all")) {
        const revoked = await grantRegister.revokeAll(instance.id, ACTOR);
        context.print(`${revoked} grants of ${instance.name} are ended.`);
        return { revoked };
      }
      const id = args.word(1, "grant id");
      const grant = await grantRegister.find(instance.id, id);
      if (!grant || !(await grantRegister.revoke(instance.id, grant, ACTOR))) {
        throw new UsageError(`There is no running grant ${id} in ${instance.name}`);
      }
      context.print(`${grant.clientName} has no access of ${grant.personEmail} any more.`);
      return { revoked: 1 };
    },
  },
];

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
