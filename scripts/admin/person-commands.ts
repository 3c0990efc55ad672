import type { PersonRecord } from "#people/person.ts";
import { ROLES } from "#people/role.ts";
import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, type AdminContext } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

const PEOPLE_PER_READ = 500;

export const personCommands: readonly Command[] = [
  {
    name: "person list",
    usage: "<instance>",
    purpose: "list people who signed in or were added",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      const emails: string[] = [];
      for await (const person of everybody(context, instance.id)) {
        const notes = [person.role ?? "", person.deactivatedAt === null ? "" : "deactivated"];
        context.print(`${person.email}  ${person.name}  ${notes.filter(Boolean).join(", ")}`);
        emails.push(person.email);
      }
      return { people: emails };
    },
  },
  {
    name: "person deactivate",
    usage: "<instance> <email>",
    purpose: "end a person's sessions, grants, tokens and role within 10 seconds, and refuse sign-in",
    async run(words, context) {
      const { administration, instance, email } = await readEmail(words, context);
      await administration.people.deactivateEmail(instance, email, ACTOR);
      context.print(`${email} is deactivated.`);
      return { email, deactivated: true };
    },
  },
  {
    name: "person reactivate",
    usage: "<instance> <email>",
    purpose: "let a person sign in again; ended access is not restored",
    async run(words, context) {
      const { administration, instance, person } = await requirePerson(words, context);
      await administration.people.reactivate(instance, person, ACTOR);
      context.print(`${person.email} is active.`);
      return { email: person.email, deactivated: false };
    },
  },
  {
    name: "person release",
    usage: "<instance> <email>",
    purpose: "end all access of a person and free their email for a new person, after a move to another SSO",
    async run(words, context) {
      const { administration, instance, person } = await requirePerson(words, context);
      await administration.people.release(instance, person, ACTOR);
      context.print(`${person.email} is released: the next person to sign in with it is a new person.`);
      return { email: person.email };
    },
  },
  {
    name: "person role",
    usage: `<instance> <email> <${[...ROLES, "none"].join("|")}>`,
    purpose: "give a person a role, or take it away; new people get it when they first sign in",
    async run(words, context) {
      const role = parseArguments(words, {}).word(2, "role");
      if (role === "none") {
        const { administration, instance, person } = await requirePerson(words, context);
        await administration.people.removeRole(instance, person, ACTOR);
        context.print(`${person.email} has no role in ${instance.name}.`);
        return { email: person.email, role: null };
      }
      const { administration, instance, email } = await readEmail(words, context);
      await administration.people.nameRole(instance, email, role, ACTOR);
      context.print(`${email} is ${role} of ${instance.name}.`);
      return { email, role };
    },
  },
];

async function* everybody({ bindings }: AdminContext, instanceId: number): AsyncGenerator<PersonRecord> {
  for (let after = ""; ; ) {
    const { people } = await servicesOf(bindings).people.page(instanceId, "", after, PEOPLE_PER_READ);
    yield* people;
    if (people.length < PEOPLE_PER_READ) return;
    after = people.at(-1)?.email ?? after;
  }
}

/** The instance and the email that the words name; whether anybody has it is the act's question. */
async function readEmail(words: readonly string[], context: AdminContext) {
  const args = parseArguments(words, {});
  const { administration, people } = servicesOf(context.bindings);
  const instance = await requireInstance(context, args);
  return { administration, people, instance, email: args.word(1, "email") };
}

async function requirePerson(words: readonly string[], context: AdminContext) {
  const { administration, people, instance, email } = await readEmail(words, context);
  return { administration, instance, person: await people.requireByEmail(instance.id, email) };
}
