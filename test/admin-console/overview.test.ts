import { expiringSoon, hasRisen } from "#doctor/decisions.ts";
import { isRotationOverdue } from "#authorization-server/signing-keys/signing-keys.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

const DAY = 86_400;

afterEach(() => void vi.useRealTimers());

describe("what needs a decision on the overview", () => {
  it("includes tokens that expire within 14 days, soonest first", () => {
    const at = (name: string, expiresAt: number | null) => ({ name, expiresAt });
    const tokens = [at("never", null), at("later", 14 * DAY), at("second", 14 * DAY - 1), at("first", DAY)];
    expect(expiringSoon(tokens, 0).map(({ name }) => name)).toEqual(["first", "second"]);
  });

  it.each([
    [[], false],
    [[19], false],
    [[20], true],
    [[10, 10, 20], false],
    [[10, 10, 21], true],
    [[900, 5, 5, 5, 5, 5, 5, 5, 30], true],
  ])("tells whether refusals %j by day have risen: %s", (counts, expected) => {
    expect(hasRisen(counts)).toBe(expected);
  });

  it.each([
    ["signing", 34 * DAY, true],
    ["signing", 33 * DAY, false],
    ["next", 34 * DAY, false],
    ["retired", 90 * DAY, false],
  ] as const)(
    "tells whether the rotation of a key that is %s for %d seconds is overdue: %s",
    (stage, age, expected) => {
      const now = 1_800_000_000;
      expect(isRotationOverdue([{ kid: "k", stage, createdAt: 1, stagedAt: now - age }], now)).toBe(expected);
    },
  );

  it("comes first, each with a link, and the charts have a range", async () => {
    // Counts are by day, and midnight may be near.
    travel(0);
    const instance = await makeInstance();
    const ada = await openConsole(instance);
    const empty = await ada.read("/admin");
    expect(empty).not.toMatch(/Needs your attention|by day|Recent errors|People with connected apps/);
    expect(empty).toMatch(
      /Connect your single sign-on<\/a> <span class="badge good">Done.*Push documents<\/a> <span class="quiet">/s,
    );
    await issueClientApiToken(instance, "ada@acme.example", "SEARCH");
    const soon = Math.floor(Date.now() / 1000) + DAY;
    await env.DB.prepare("UPDATE service_tokens SET expires_at = ?1").bind(soon).run();
    const today = Math.floor(Date.now() / 1000 / DAY);
    await env.DB.prepare(
      "INSERT INTO usage_counts (instance_id, day, kind, name, count) VALUES (?1, ?2, 'refusal', 'no_route', 500)",
    )
      .bind(instance.id, today)
      .run();
    await env.DB.prepare(
      `INSERT INTO signing_keys (kid, instance_id, public_jwk, sealed_private_jwk, stage, created_at, staged_at)
       VALUES ('old', ?1, '{}', '', 'signing', ?2, ?2)`,
    )
      .bind(instance.id, soon - 40 * DAY)
      .run();
    const html = await ada.read("/admin?days=7");
    expect(html).toMatch(
      /Needs your attention.*1 token expires.*signing key is overdue.*Refused requests more than doubled today/s,
    );
    expect(html).toMatch(/href="\/admin\?days=7" aria-current="true"/);
    expect(html.match(/<title>\d{4}-\d\d-\d\d: [\d,]+ refusals<\/title>/g)).toHaveLength(7);
    expect(await ada.read("/admin?days=nonsense")).toMatch(/href="\/admin\?days=30" aria-current="true"/);
  });
});
