import { ROLES } from "#people/role.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { difference, type Json, type PlannedChange } from "./difference.ts";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly role: string | null;
}

/** The role of everybody who has one, by email. */
export async function exportRoles(api: AdminApi): Promise<Json> {
  return Object.fromEntries([...(await peopleWithRoles(api)).values()].map(({ email, role }) => [email, role]));
}

/**
 * @param declared roles by email; `null` removes a role
 * @throws {UsageError} for anything that is no email address, and for two spellings of the same one
 */
export async function planRoles(api: AdminApi, declared: Json): Promise<PlannedChange[]> {
  const people = await peopleWithRoles(api);
  const named = new Set<string>();
  return Object.entries(declared).flatMap(([address, role]) => {
    const email = parseEmailAddress(address.trim());
    if (email === undefined) throw new UsageError(`roles.${address} is not an email address`);
    if (named.has(email)) throw new UsageError(`roles names ${email} twice: remove one of them`);
    named.add(email);
    const person = people.get(email);
    const currentRole = person?.role ?? null;
    const lines = difference("roles", { [email]: currentRole }, { [email]: role });
    if (lines.length === 0) return [];
    return role === null && person
      ? [{ lines, method: "DELETE", path: at`/roles/${person.id}?currentRole=${person.role ?? ""}` }]
      : [{ lines, method: "POST", path: "/roles", body: { email, role, currentRole } }];
  });
}

async function peopleWithRoles(api: AdminApi): Promise<Map<string, Person>> {
  const people = new Map<string, Person>();
  for (const role of ROLES) {
    for await (const person of api.items<Person>("/people", { role })) people.set(person.email, person);
  }
  return people;
}
