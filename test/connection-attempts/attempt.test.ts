import { type Attempt, attemptsOf } from "#connection-attempts/attempt.ts";
import type { ConnectionStep, Step } from "#connection-attempts/connection-step.ts";
import { explain } from "#connection-attempts/advice.ts";
import { describe, expect, it } from "vitest";

let now = 1_800_000_000;

function step(name: Step, about: Partial<ConnectionStep> = {}): ConnectionStep {
  now += 1;
  const nobody = { reason: null, message: null, clientId: null, grantId: null, network: "192.0.2.1" };
  return { at: now, requestId: `${name}-${now}`, step: name, ...nobody, ...about };
}

/** Returns the steps of each attempt, newest attempt first. */
function ways(steps: readonly ConnectionStep[]): string[] {
  return attemptsOf(steps).map((attempt) => attempt.steps.map((one) => one.step).join(" "));
}

function only(steps: readonly ConnectionStep[]): Attempt {
  const [attempt, ...others] = attemptsOf(steps);
  if (!attempt || others.length > 0) throw new Error(`${others.length + 1} attempts`);
  return attempt;
}

describe("the steps of a connection attempt", () => {
  it("cover a host's whole path from the call without a token to a refresh that failed", () => {
    const app = { clientId: "app" };
    const grant = { ...app, grantId: "grant" };
    const attempt = only([
      step("challenge"),
      step("metadata"),
      step("metadata"),
      step("registration", app),
      step("metadata"),
      step("authorization", grant),
      step("sign-in", { ...grant, network: "198.51.100.7" }),
      step("refresh", { ...grant, network: "203.0.113.9", reason: "grant_idle" }),
    ]);
    expect(attempt).toMatchObject({ clientId: "app", grantId: "grant", network: "192.0.2.1" });
    expect(attempt.steps).toHaveLength(8);
  });

  it("are separated by grant if two people connect the same app", () => {
    const app = { clientId: "https://claude.ai/document" };
    expect(
      ways([
        step("authorization", { ...app, grantId: "ada" }),
        step("authorization", { ...app, grantId: "ben", network: "198.51.100.7" }),
        step("sign-in", { ...app, grantId: "ada" }),
        step("token", { ...app, grantId: "ben", reason: "code_expired" }),
      ]),
    ).toEqual(["authorization token", "authorization sign-in"]);
  });

  it("are separated for two apps that register from the same network", () => {
    expect(ways([step("registration", { clientId: "one" }), step("registration", { clientId: "two" })])).toEqual([
      "registration",
      "registration",
    ]);
  });

  it("start a new attempt with a call without a token after a connection, and after a quarter of an hour", () => {
    const connected = step("authorization", { clientId: "app", grantId: "grant" });
    const later = step("challenge");
    now += 15 * 60;
    expect(ways([connected, later, step("challenge")])).toEqual(["challenge", "challenge", "authorization"]);
  });

  it("are added to an app's last attempt if they name no grant", () => {
    const app = { clientId: "app", grantId: "grant" };
    const refused = { clientId: "app", network: "203.0.113.9", reason: "code_unknown" } as const;
    expect(ways([step("authorization", app), step("token", refused)])).toEqual(["authorization token"]);
  });
});

describe("the explanation of a connection attempt", () => {
  it("says why the last step failed and what to do, with the message that its caller got", () => {
    const refused = {
      reason: "redirect_uri_not_approved",
      message: "None of the redirect URIs is approved here",
    } as const;
    const { steps, status, advice } = explain(only([step("challenge"), step("registration", refused)]), undefined);
    expect(status).toEqual({ is: "refused", reason: refused.reason });
    expect(steps.at(-1)).toMatchObject({ label: "Registration", cause: refused.message });
    expect(advice).toContain("Approve the host on the Registration page");
  });

  it("is about the request that was searched for, even if others followed", () => {
    const failed = step("authorization", { reason: "redirect_uri_not_registered", message: "No such redirect URI" });
    const attempt = only([failed, step("challenge")]);
    expect(explain(attempt, undefined).status.is).toBe("unfinished");
    expect(explain(attempt, undefined, failed.requestId)).toMatchObject({
      status: { is: "refused", reason: failed.reason },
      advice: expect.stringContaining("Add the app’s redirect URI"),
    });
  });

  it("says what it means that nothing follows a step that succeeded", () => {
    const authorized = only([step("authorization", { clientId: "app", grantId: "grant" })]);
    expect(explain(authorized, undefined)).toMatchObject({
      status: { is: "unfinished", after: "Authorization" },
      advice: expect.stringContaining("single sign-on"),
    });
  });

  it("is connected, without advice, once an app has its token, also if the host then reads the metadata again", () => {
    const app = { clientId: "app", grantId: "grant" };
    for (const again of [[], [step("metadata")]]) {
      const way = only([step("authorization", app), step("token", app), ...again]);
      expect(explain(way, undefined)).toMatchObject({ status: { is: "connected" }, advice: "" });
    }
  });

  it("waits, and isn't refused, while its app waits for approval", () => {
    const asked = step("authorization", { clientId: "app" });
    const waits = step("consent", { clientId: "app", reason: "client_pending", message: "This app waits" });
    expect(explain(only([asked, waits]), undefined)).toMatchObject({
      status: { is: "waiting" },
      advice: expect.stringContaining("Approve the app"),
    });
  });

  it("includes the steps that only the grant knows, in the order in which hosts take them", () => {
    const attempt = only([
      step("authorization", { clientId: "app", grantId: "grant" }),
      step("sign-in", { grantId: "grant" }),
    ]);
    const grant = {
      id: "grant",
      personEmail: "ada@acme.example",
      createdAt: now,
      redeemedAt: now,
      rotatedAt: now + 60,
    };
    const { steps, advice } = explain(attempt, grant);
    expect(steps.map(({ label }) => label)).toEqual(["Authorization", "Sign-in", "Consent", "Token", "Refresh"]);
    expect(advice).toBe("");
  });
});
