import { idsIn, type Named, sentenceOf, whoOf } from "#audit/audit-sentence.ts";
import { describe, expect, it } from "vitest";

const NAMES: Readonly<Record<string, Named>> = {
  p1: { kind: "person", name: "ben@acme.example" },
  c1: { kind: "app", name: "Notebook" },
  c2: { kind: "app", name: "ada@acme.example" },
  c3: { kind: "app", name: "x” by ada@acme.example “" },
  t1: { kind: "token", name: "wiki sync" },
  t2: { kind: "token", name: "report" },
};

describe("an audit entry as a sentence", () => {
  it.each([
    ["client_approved", { clientId: "c1" }, "approved the app “Notebook”"],
    ["client_approved", { clientId: "gone" }, "approved the app gone"],
    ["role_changed", { email: "x@acme.example", role: "auditor" }, "gave x@acme.example the role auditor"],
    ["role_changed", { email: "x@acme.example", role: null }, "removed x@acme.example’s role"],
    ["settings_changed", { before: { a: 1, b: [2] }, after: { a: 3, b: [2] } }, "changed settings: a"],
    ["single_sign_on_changed", { before: null, after: { issuer: "x" } }, "changed the single sign-on: issuer"],
    [
      "grants_ended",
      { scope: "grant", personId: "p1", clientId: "c1", reason: "revoked_by_administrator", grants: 2 },
      "revoked the app “Notebook”’s access for ben@acme.example (2 grants)",
    ],
    [
      "grants_ended",
      { scope: "person", personId: "p1", reason: "person_deactivated", grants: 3 },
      "revoked all apps’ access for ben@acme.example (3 grants), because the person was deactivated",
    ],
    [
      "audit_trimmed",
      { through: 9, hash: "h", before: "2026-11-21T00:00:01.000Z" },
      "deleted entries older than 2026-11-21",
    ],
    [
      "service_tokens_ended",
      { with: "p1", ids: ["t1", "t2"] },
      "ended tokens together with ben@acme.example: “wiki sync”, “report”",
    ],
    [
      "external_issuer_removed",
      { before: { issuer: "https://idp.example" } },
      "removed the identity provider https://idp.example",
    ],
    ["of_a_later_version", { clientId: "c1" }, "of_a_later_version"],
    ["client_approved", { clientId: "{clientId}" }, "approved the app “{clientId}”"],
    ["client_approved", { clientId: "c2" }, "approved the app “ada@acme.example”"],
    ["client_approved", { clientId: "c3" }, "approved the app “x' by ada@acme.example '”"],
    ["client_created", { clientId: "c2", name: "ada@acme.example" }, "created the app “ada@acme.example”"],
    ["service_tokens_ended", { with: "t1", ids: ["t2"] }, "ended tokens together with the token “wiki sync”: “report”"],
    [
      "grants_ended",
      { clientId: "c2", reason: "x", grants: 1 },
      "revoked the app “ada@acme.example”’s access (1 grants)",
    ],
    [
      "request_refused",
      { operation: "POST /x", clientId: "ada@acme.example", reason: "r", times: 1 },
      "was refused POST /x with the app “ada@acme.example” (r)",
    ],
    ["constructor", {}, "constructor"],
  ])("an entry %s with %j becomes a sentence", (event, detail, sentence) => {
    const entry = { event, detail } as Parameters<typeof sentenceOf>[0];
    expect(sentenceOf(entry, (id) => NAMES[id])).toBe(sentence);
  });

  it("begins with an email address only if a person did it", () => {
    const who = ["p1", "c2", "c3", "t1", "command"].map((actor) => whoOf(actor, (id) => NAMES[id]));
    const [, app, quoting] = who;
    expect(who).toEqual(["ben@acme.example", app, quoting, "token “wiki sync”", "command"]);
    expect([app, quoting]).toEqual(["app “ada@acme.example”", "app “x' by ada@acme.example '”"]);
  });

  it("needs the names of its actor and of everything that it is about", () => {
    const entry = { actor: "p1", detail: { with: "t1", ids: ["t2", "t1"], clientId: "c1", scope: "p9" } };
    expect(idsIn([entry]).toSorted()).toEqual(["c1", "p1", "t1", "t2"]);
  });
});
