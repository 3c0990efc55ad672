import { randomId } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { readListQuery } from "#platform/listing.ts";
import type { PersonRecord } from "#people/person.ts";
import { servicesOf } from "#services.ts";
import { env } from "./isolate.ts";

/** Returns the person with an email. If there is none, adds one, as a first sign-in does. */
export async function knownPerson(instance: InstanceRecord, email: string): Promise<PersonRecord> {
  await env.DB.prepare(
    "INSERT INTO people (id, instance_id, email, name, created_at) VALUES (?1, ?2, ?3, ?3, ?4) ON CONFLICT DO NOTHING",
  )
    .bind(randomId(), instance.id, email, Math.floor(Date.now() / 1000))
    .run();
  const person = await servicesOf(env).people.findByEmail(instance.id, email);
  if (!person) throw new Error(`nobody has the email ${email}`);
  return person;
}

/** Ends all sign-ins of a known person, as a message of their organisation does. @param at in seconds, which may have a fraction */
export async function signOut(instance: InstanceRecord, email: string, at: number): Promise<void> {
  await env.DB.prepare("UPDATE people SET signed_out_at = ?3 WHERE instance_id = ?1 AND email = ?2")
    .bind(instance.id, email, Math.round(at * 1000))
    .run();
}

/** Returns how often somebody was signed out. A sign-in without a session at the SSO reads the same number. */
export async function signOutsOf(personId: string): Promise<number> {
  const row = env.DB.prepare("SELECT sign_outs FROM people WHERE id = ?1").bind(personId);
  return (await row.first<number>("sign_outs")) ?? 0;
}

/** Returns everybody of an instance, by email. */
export async function everybodyOf(instance: InstanceRecord): Promise<readonly PersonRecord[]> {
  const query = readListQuery(PEOPLE_LIST, new Map([["limit", "500"]]));
  const { items, nextCursor } = await servicesOf(env).people.list(instance.id, query);
  if (nextCursor !== null) throw new Error("there are more people than one page has");
  return items;
}
