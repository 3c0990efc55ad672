import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./commands.ts";
import { ACTOR, type AdminContext } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

export const personCommands: readonly Command[] = [
  {
    name: "person list",
    usage: "<instance>",
    purpose: "list the people who signed in or were named",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      const people = await servicesOf(context.bindings).instances.listPeople(instance);
      for (const person of people) {
        const notes = [
          person.isAdministrator ? "administrator" : "",
          person.deactivatedAt === null ? "" : "deactivated",
        ];
        context.print(`${person.email}  ${person.name}  ${notes.filter(Boolean).join(", ")}`);
      }
      return { people: people.map(({ email }) => email) };
    },
  },
  {
    name: "person deactivate",
    usage: "<instance> <email>",
    purpose: "end a person's sign-ins and tokens, within 10 seconds",
    run: (words, context) => setDeactivated(words, context, true),
  },
  {
    name: "person reactivate",
    usage: "<instance> <email>",
    purpose: "let a person in again",
    run: (words, context) => setDeactivated(words, context, false),
  },
  {
    name: "person release",
    usage: "<instance> <email>",
    purpose: "let whoever signs in next with this email be this person, after a move to another SSO",
    async run(words, context) {
      const { instances, instance, person } = await requirePerson(words, context);
      await instances.releaseIdentity(instance, person, ACTOR);
      context.print(`${person.email} is free: the next sign-in with this email takes it over.`);
      return { email: person.email };
    },
  },
  {
    name: "administrator add",
    usage: "<instance> <email>",
    purpose: "make a person an administrator, known already or not",
    run: (words, context) => setAdministrator(words, context, true),
  },
  {
    name: "administrator remove",
    usage: "<instance> <email>",
    purpose: "take that back",
    run: (words, context) => setAdministrator(words, context, false),
  },
];

async function setDeactivated(words: readonly string[], context: AdminContext, deactivated: boolean) {
  const { instances, instance, person } = await requirePerson(words, context);
  await instances.setDeactivated(instance, person, deactivated, ACTOR);
  context.print(`${person.email} is ${deactivated ? "deactivated" : "active"}.`);
  return { email: person.email, deactivated };
}

async function setAdministrator(words: readonly string[], context: AdminContext, isAdministrator: boolean) {
  const { instances, instance, person } = await requirePerson(words, context);
  await instances.setAdministrator(instance, person, isAdministrator, ACTOR);
  context.print(`${person.email} is ${isAdministrator ? "an" : "no longer an"} administrator of ${instance.name}.`);
  return { email: person.email, isAdministrator };
}

async function requirePerson(words: readonly string[], context: AdminContext) {
  const args = parseArguments(words, {});
  const { instances } = servicesOf(context.bindings);
  const instance = await requireInstance(context, args);
  return { instances, instance, person: await instances.ensurePerson(instance, args.word(1, "email")) };
}
