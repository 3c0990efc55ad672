import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { servicesOf } from "#services.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { stopCounting } from "../support/rate-limits.ts";
import { routes } from "../support/routes.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { makeStaticClient } from "../support/world.ts";
import { IDENTIFIERS, type Kind } from "./identifiers.ts";
import { casesOf } from "./requests.ts";
import { makeSide, type Side } from "./sides.ts";

/** The noun that each kind of identifier names. The other kinds are credentials, or name something that no administrator decides about. */
const NOUNS: Partial<Readonly<Record<Kind, string>>> = {
  "registered client": "app",
  "made client": "app",
  "confidential client": "app",
  "ruled app": "app",
  "service account": "service account",
  person: "person",
  grant: "grant",
  "service token": "token",
  issuer: "issuer",
  transmitter: "transmitter",
  "metadata group": "metadata group",
};

/** Routes that create what has no such name yet. They may add a row, but like all others they change none. */
const CREATING = /^(PUT|POST) \/rest\/api\/admin\/v1\/(metadata-groups|issuers|transmitters)\/:\w+$/;

/** The tables of the nouns. */
const TABLES = [
  "clients",
  "app_rules",
  "service_accounts",
  "people",
  "grants",
  "service_tokens",
  "service_token_secrets",
  "external_issuers",
  "signal_transmitters",
  "metadata_groups",
  "metadata_keys",
];

interface Named {
  readonly noun: string;
  readonly id: string;
}

let side: Side;
let named: Named[];

beforeAll(async () => {
  side = await makeSide("acme");
  named = await everyNoun(side);
});

// One person sends all forms within a minute, which is more than the rate limit allows. A 429 would hide every other response.
beforeEach(() => {
  stopCounting("RATE_LIMIT_300");
});

/** Makes one or two of each noun, as decisions find them: one that is enabled, and one that is disabled, if it can be. */
async function everyNoun({ instance }: Side): Promise<Named[]> {
  const { administrationOf } = servicesOf(env);
  const made: Named[] = [];
  for (const [kind, noun] of Object.entries(NOUNS) as [Kind, string][]) {
    if (made.some((each) => each.noun === noun)) continue;
    const [id = ""] = await IDENTIFIERS[kind].make(side);
    made.push({ noun, id });
  }
  const { account } = await makeKeyedAccount(instance);
  await administrationOf(instance, "test").serviceAccounts.disable(account.id);
  const { client } = await makeStaticClient(instance);
  await administrationOf(instance, "test").clients.disable(client.id);
  const person = await knownPerson(instance, "deactivated@acme.example");
  await administrationOf(instance, "test").people.deactivate(person);
  return [
    ...made,
    { noun: "service account", id: account.id },
    { noun: "app", id: client.id },
    { noun: "person", id: person.id },
  ];
}

/** Returns every stored row, as texts. */
async function rows(): Promise<string[]> {
  const results = await env.DB.batch(TABLES.map((table) => env.DB.prepare(`SELECT * FROM ${table}`)));
  return results.flatMap(({ results: found }, at) =>
    // Each call of the Admin API uses a token.
    found.map((row) => `${TABLES[at]} ${JSON.stringify({ ...(row as object), last_used_at: null })}`),
  );
}

const every = routes().flatMap((route) => {
  const name = `${route.method} ${route.path}`;
  if (!/^(?!GET )\w+ \/(admin|rest\/api\/admin\/v1)\//.test(name)) return [];
  return casesOf(route).flatMap((one) => {
    const noun = NOUNS[one.kind];
    return noun === undefined ? [] : [{ name, noun, ask: one.ask }];
  });
});

/** Those that create come last, or the others would find what they made. */
const deciding = every.toSorted((one, other) => Number(CREATING.test(one.name)) - Number(CREATING.test(other.name)));

describe("a decision about one noun", () => {
  it("is tested for every noun, in the Admin API and in the console", () => {
    for (const base of ["/rest/api/admin/v1/", "/admin/"]) {
      const nouns = deciding.filter(({ name }) => name.includes(` ${base}`)).map(({ noun }) => noun);
      expect([...new Set(nouns)].toSorted()).toEqual([...new Set(Object.values(NOUNS))].toSorted());
    }
    expect(deciding.length).toBeGreaterThan(50);
  });

  it.each(deciding)("changes nothing if its id is that of another: $name", async ({ name, noun, ask }) => {
    const before = await rows();
    for (const other of named.filter((each) => each.noun !== noun)) {
      const response = await ask(side, [other.id]);
      const text = await response.text();
      const what = { name, other: other.noun, status: response.status, text };
      if (name.includes(" /rest/") && !CREATING.test(name) && response.status < 400) {
        expect(what).toMatchObject({ text: '{"changed":false}' });
      }
      expect({ ...what, isServed: response.status < 500 }).toMatchObject({ isServed: true });
    }
    const after = new Set(await rows());
    expect(before.filter((row) => !after.has(row))).toEqual([]);
  });
});
