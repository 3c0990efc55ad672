import { AuthorIds } from "#client-api/document-answer.ts";
import { sha256 } from "#crypto/hash.ts";
import { Keyring } from "#crypto/keyring.ts";
import { randomSecret } from "#crypto/random.ts";
import { describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";

const ADA = "ada@acme.example";

describe("the id of an author", () => {
  it("is the same for one address, and another for another", async () => {
    const ids = new AuthorIds(new Keyring(env.MASTER_KEYS));
    expect(await ids.of(ADA)).toMatch(/^[\w-]{22}$/);
    expect(await ids.of(ADA)).toBe(await new AuthorIds(new Keyring(env.MASTER_KEYS)).of(ADA));
    expect(await ids.of(ADA)).not.toBe(await ids.of("ben@acme.example"));
  });

  it("cannot be computed from the address without the master key", async () => {
    const id = await new AuthorIds(new Keyring(env.MASTER_KEYS)).of(ADA);
    expect(id).not.toBe((await sha256(ADA)).slice(0, 22));
    expect(id).not.toBe(await new AuthorIds(new Keyring(`other:${randomSecret()}`)).of(ADA));
  });
});
