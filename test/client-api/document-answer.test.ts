import { AuthorIds } from "#client-api/document-answer.ts";
import { randomSecret, sha256 } from "#crypto/secrets.ts";
import { Keyring } from "#crypto/keyring.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";

const ADA = "ada@acme.example";

describe("an author's id", () => {
  it("is the same for one address, and different for another", async () => {
    const idOf = new AuthorIds(new Keyring(env.MASTER_KEYS)).of(1);
    expect(await idOf(ADA)).toMatch(/^[\w-]{22}$/);
    expect(await idOf(ADA)).toBe(await new AuthorIds(new Keyring(env.MASTER_KEYS)).of(1)(ADA));
    expect(await idOf(ADA)).not.toBe(await idOf("ben@acme.example"));
  });

  it("is different in another instance, so that documents don't show that they have the same author", async () => {
    const ids = new AuthorIds(new Keyring(env.MASTER_KEYS));
    expect(await ids.of(1)(ADA)).not.toBe(await ids.of(2)(ADA));
  });

  it("cannot be computed from the address without the master key", async () => {
    const id = await new AuthorIds(new Keyring(env.MASTER_KEYS)).of(1)(ADA);
    expect(id).not.toBe((await sha256(ADA)).slice(0, 22));
    expect(id).not.toBe(await new AuthorIds(new Keyring(`other:${randomSecret()}`)).of(1)(ADA));
  });
});
