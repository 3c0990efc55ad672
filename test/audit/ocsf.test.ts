import type { AuditEvent } from "#audit/audit-events.ts";
import { OCSF_EVENTS, type OcsfEvent, toOcsf } from "#audit/ocsf.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import schema from "./ocsf-1.2.0.json" with { type: "json" };

/**
 * A part of the schema: its members, whether each is required, and of which members at least or exactly one must exist.
 */
interface Described {
  readonly attributes: Readonly<Record<string, boolean>>;
  readonly constraints?: { readonly at_least_one?: readonly string[]; readonly just_one?: readonly string[] };
}

const CLASSES: Readonly<Record<string, Described & { readonly activities: readonly number[] }>> = schema.classes;
const OBJECTS: Readonly<Record<string, Described>> = schema.objects;

/** Returns what is wrong with an event, or a part of one, according to the schema. */
function problemsOf(part: OcsfEvent, { attributes, constraints }: Described, name: string): string[] {
  const members = Object.keys(part);
  const problems = [
    ...members.filter((member) => !(member in attributes)).map((member) => `${name} has no ${member}`),
    ...Object.entries(attributes)
      .filter(([member, isRequired]) => isRequired && part[member] === undefined)
      .map(([member]) => `${name} needs ${member}`),
  ];
  const { at_least_one: any, just_one: one } = constraints ?? {};
  if (any && !any.some((member) => member in part)) problems.push(`${name} names nothing`);
  if (one && one.filter((member) => member in part).length !== 1) problems.push(`${name} names not one thing`);
  for (const [member, of] of Object.entries({
    metadata: "metadata",
    product: "product",
    actor: "actor",
    user: "user",
    entity: "managed_entity",
    api: "api",
    service: "service",
    session: "session",
    src_endpoint: "network_endpoint",
  })) {
    const described = OBJECTS[of];
    if (described && member in part) problems.push(...problemsOf(part[member] as OcsfEvent, described, member));
  }
  return problems;
}

const REFUSED = {
  reason: "scope_missing",
  code: "insufficient_scope",
  operation: "GET /mcp",
  times: 3,
  requestId: "q",
};

/** Events with details, and the OCSF type that each gets. */
const EVENTS: readonly (readonly [AuditEvent, Readonly<Record<string, unknown>>, number])[] = [
  ["instance_created", { name: "acme" }, 300_401],
  ["person_standing_changed", { email: "ben@acme.example", deactivated: true }, 300_105],
  ["person_standing_changed", { email: "ben@acme.example", deactivated: false }, 300_102],
  ["role_changed", { email: "ben@acme.example", role: "owner" }, 300_107],
  ["role_changed", { email: "ben@acme.example", role: null }, 300_108],
  ["person_released", { email: "ben@acme.example" }, 300_106],
  ["client_removed", { clientId: "app" }, 300_404],
  ["grants_ended", { scope: "instance", reason: "administrator", grants: 3 }, 300_404],
  ["signed_in", { email: "ben@acme.example", issuer: "https://sso.example", clientId: "app" }, 300_201],
  ["signed_out", {}, 300_202],
  ["app_authorized", { clientId: "app", grantId: "g", scope: "SEARCH CHAT", resource: "r" }, 300_301],
  ["app_denied", { clientId: "app", scope: "SEARCH", reason: "consent_denied" }, 300_301],
  ["app_requested", { clientId: "app" }, 300_499],
  ["access_refused", { ...REFUSED, operation: "GET /oauth/callback" }, 300_201],
  ["access_refused", { ...REFUSED, clientId: "app", network: "2001:db8::/64" }, 600_399],
  ["request_refused", { ...REFUSED, network: "192.0.2.1" }, 600_399],
  ["directory_user_added", { userId: "u", email: "ben@acme.example" }, 300_101],
  ["external_issuer_removed", { before: { issuer: "https://idp.example" } }, 300_404],
];

function entryOf(event: string, detail: Readonly<Record<string, unknown>>) {
  return {
    instanceId: 1,
    sequence: 7,
    at: 1_800_000_000,
    actor: "ada",
    event,
    detail,
    seal: { previousHash: "p", hash: "h.m" },
  };
}

function requireValid(event: OcsfEvent): void {
  const described = CLASSES[String(event["class_uid"])];
  if (!described) throw new Error(`there is no class ${String(event["class_uid"])}`);
  expect(problemsOf(event, described, "event")).toEqual([]);
  expect(described.activities).toContain(event["activity_id"]);
  expect(schema.severities).toContain(event["severity_id"]);
  expect(event["type_uid"]).toBe(Number(event["class_uid"]) * 100 + Number(event["activity_id"]));
  expect(event["category_uid"]).toBe(Math.floor(Number(event["class_uid"]) / 1000));
}

const MEMBERS = "email clientId before after reason role id personId grantId scope operation network times".split(" ");

describe(`audit entries as OCSF ${schema.version}`, () => {
  it.each(EVENTS)("gives %s %j the type %i", (event, detail, type) => {
    const told = toOcsf(entryOf(event, detail), "acme", "Gatehouse");
    requireValid(told);
    expect(told["type_uid"]).toBe(type);
    expect(told["time"]).toBe(1_800_000_000_000);
    expect(told["metadata"]).toMatchObject({ version: schema.version, sequence: 7, event_code: event });
  });

  it("are valid whatever their details contain, even if another version of this service wrote them", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...OCSF_EVENTS, "made_by_another_version", "constructor"),
        fc.dictionary(fc.constantFrom(...MEMBERS), fc.jsonValue()),
        (event, detail) => requireValid(toOcsf(entryOf(event, detail), "acme", "Gatehouse")),
      ),
    );
  });

  it("say that a refusal is a failure, with its reason, number and origin", () => {
    const told = toOcsf(entryOf("access_refused", { ...REFUSED, network: "192.0.2.1" }), "acme", "Gatehouse");
    expect(told).toMatchObject({ status_id: 2, severity_id: 2, status_detail: "scope_missing", count: 3 });
    expect(told).toMatchObject({ src_endpoint: { ip: "192.0.2.1" }, api: { operation: "GET /mcp" } });
    const signIn = toOcsf(entryOf("signed_in", { email: "ben@acme.example" }), "acme", "Gatehouse");
    expect(signIn).toMatchObject({ status_id: 1, user: { uid: "ada", email_addr: "ben@acme.example" } });
  });

  it("have high severity if a thief or a tamperer may be behind them", () => {
    const severity = (event: string, detail: Readonly<Record<string, unknown>>) =>
      toOcsf(entryOf(event, detail), "acme", "Gatehouse")["severity_id"];
    expect(severity("grants_ended", { scope: "grant", reason: "refresh_token_reused", grants: 1 })).toBe(4);
    expect(severity("audit_sealed_late", { from: 1, through: 2 })).toBe(4);
    expect(severity("grants_ended", { scope: "grant", reason: "person", grants: 1 })).toBe(1);
  });
});
