import type { InstanceRecord } from "#instance/instances.ts";
import { ADMIN_SCOPES } from "#protocol/admin-scopes.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { callAdmin } from "../support/admin-calls.ts";
import { readChallenge } from "../support/challenge.ts";
import { knownPerson } from "../support/people.ts";
import { issueToken } from "../support/service-tokens.ts";
import { makeInstance } from "../support/world.ts";

interface Person {
  readonly id: string;
  readonly email: string;
}

let instance: InstanceRecord;
let secret: string;

beforeAll(async () => {
  instance = await makeInstance();
  ({ secret } = await adminToken(ADMIN_SCOPES));
});

function adminToken(scopes: readonly string[]) {
  return issueToken(instance, { kind: "admin", scopes, lifetimeSeconds: 3600 });
}

describe("administrators", () => {
  const ends = [
    (by: string, { id }: Person) => callAdmin(by, "POST", `/people/${id}/deactivate`),
    (by: string, { id }: Person) => callAdmin(by, "POST", `/people/${id}/release`),
    (by: string, { email }: Person) => callAdmin(by, "POST", "/deactivations", { email }),
    (by: string, { id }: Person) => callAdmin(by, "DELETE", `/administrators/${id}`),
  ] as const;

  async function administrators(): Promise<Person[]> {
    const response = await callAdmin(secret, "GET", "/people?administrator=true");
    return (await response.json<{ items: Person[] }>()).items;
  }

  async function administrator(email: string): Promise<Person> {
    await callAdmin(secret, "POST", "/administrators", { email });
    return knownPerson(instance, email);
  }

  it("are ended by nobody who has only admin:people, and keep what they hold", async () => {
    const { secret: lesser } = await adminToken(["admin:people"]);
    const person = await administrator("kept@acme.example");
    await administrator("colleague@acme.example");
    const held = await issueToken(instance, { kind: "client-api", scopes: ["SEARCH"], person: person.email });
    for (const end of ends) {
      const refused = await end(lesser, person);
      expect(refused.status).toBe(403);
      expect(readChallenge(refused)).toMatchObject({ error: "insufficient_scope", scope: "admin:security" });
    }
    expect(await administrators()).toEqual(expect.arrayContaining([expect.objectContaining({ id: person.id })]));
    const token = await callAdmin(secret, "GET", `/tokens/${held.id}`);
    expect(await token.json()).toMatchObject({ revokedAt: null });
  });

  it("are ended until one is left, who stays", async () => {
    const last = await administrator("last@acme.example");
    for (const other of await administrators()) {
      if (other.id !== last.id) expect((await ends[0](secret, other)).status).toBe(200);
    }
    for (const end of ends) {
      const refused = await end(secret, last);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ message: expect.stringContaining("is the last administrator") });
    }
    const another = await administrator("another@acme.example");
    const both = await Promise.all([last, another].map((person) => ends[0](secret, person)));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(await administrators()).toHaveLength(1);
  });
});
