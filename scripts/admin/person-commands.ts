import { PEOPLE_LIST } from "#people/people-list.ts";
import { type Role, ROLES } from "#people/role.ts";
import { type AdminApi, at, type Changed } from "./admin-api.ts";
import type { ApiCommand } from "./command.ts";
import { UsageError } from "./failures.ts";
import { listOptions, listValues, oneOf } from "./option-values.ts";
import { table, time } from "./table.ts";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role | null;
  readonly lastSignInAt: number | null;
  readonly deactivatedAt: number | null;
}

export const personCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "person list <instance>",
    purpose: "list people who have signed in or were added",
    examples: ["person list acme --state active"],
    options: listOptions(PEOPLE_LIST, "a part of the name or email"),
    async run(input, api) {
      const answer = await api.list<Person>("/people", listValues(input, PEOPLE_LIST));
      const rows = answer.items.map((person) => [
        person.email,
        person.name,
        person.role ?? "",
        person.deactivatedAt === null ? "active" : "deactivated",
        time(person.lastSignInAt),
      ]);
      return { answer, lines: table("people", ["email", "name", "role", "state", "last sign-in"], rows) };
    },
  },
  {
    asks: "api",
    usage: "person deactivate <instance> <email>",
    purpose:
      "end the person's sessions and tokens of every kind, and refuse sign-in. Works for people who have never signed in, too",
    examples: ["person deactivate acme ben@example.com"],
    asksFirst: true,
    async run(input, api) {
      const email = input.word("email");
      await input.confirm(`All access of ${email} to ${api.instance} ends.`);
      const answer = await api.call<Changed>("POST", "/deactivations", { email });
      return { answer, lines: [`${email} is deactivated.`] };
    },
  },
  {
    asks: "api",
    usage: "person reactivate <instance> <email>",
    purpose: "let the person sign in again. Sessions and tokens that ended are not restored",
    examples: ["person reactivate acme ben@example.com"],
    async run(input, api) {
      const { id, email } = await requirePerson(api, input.word("email"));
      const answer = await api.call<Changed>("POST", at`/people/${id}/reactivate`);
      return { answer, lines: [`${email} is active.`] };
    },
  },
  {
    asks: "api",
    usage: "person release <instance> <email>",
    purpose:
      "free the email after a move to another SSO, or when an account was recreated. Ends the person's apps, tokens, sessions and role. The next person to sign in with the email is a new person",
    examples: ["person release acme ben@example.com"],
    asksFirst: true,
    async run(input, api) {
      const { id, email } = await requirePerson(api, input.word("email"));
      await input.confirm(`All access and the role of ${email} end permanently, and somebody else can get the email.`);
      const answer = await api.call<Changed>("POST", at`/people/${id}/release`);
      return { answer, lines: [`${email} is released: the next person to sign in with it is a new person.`] };
    },
  },
  {
    asks: "api",
    usage: "person role <instance> <email> <role>",
    purpose: `give a person a role (${ROLES.join(", ")}), or with none remove it. New people get it when they first sign in`,
    examples: ["person role acme ada@example.com auditor"],
    asksFirst: true,
    async run(input, api) {
      const [email, role] = [input.word("email"), oneOf("<role>", input.word("role"), [...ROLES, "none"])];
      if (role === "none") {
        const person = await requirePerson(api, email);
        await input.confirm(`${person.email} can no longer open the console, and admin tokens that they issued end.`);
        const answer = await api.call<Changed>("DELETE", at`/roles/${person.id}`);
        return { answer, lines: [`${person.email} has no role in ${api.instance}.`] };
      }
      const answer = await api.call<Changed>("POST", "/roles", { email, role });
      return { answer, lines: [`${email} is ${role} of ${api.instance}.`] };
    },
  },
];

/** Finds the person with an email address. @throws {UsageError} if there is none */
export async function requirePerson(api: AdminApi, email: string): Promise<Person> {
  for await (const person of api.items<Person>("/people", { search: email })) {
    if (person.email === email.trim().toLowerCase()) return person;
  }
  throw new UsageError(`There is nobody with the email ${email} in ${api.instance}`);
}
