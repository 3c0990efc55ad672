import { servicesOf } from "#services.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

describe("a token for a person", () => {
  it("is refused for an unknown address, unless its creator says that a new person is meant", async () => {
    const { serviceTokens } = servicesOf(env).administrationOf(await makeInstance(), "test");
    const person = "nobody@acme.example";
    const draft = { kind: "client-api" as const, name: "Reader", scopes: ["SEARCH"], person, lifetimeSeconds: 3600 };
    await expect(serviceTokens.issue(draft)).rejects.toThrow("Nobody has signed in as nobody@acme.example yet");
    expect((await serviceTokens.issue(draft, true)).token.person).toBe(person);
  });
});
