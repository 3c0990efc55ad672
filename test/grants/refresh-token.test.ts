import { makeRefreshToken, readRefreshToken } from "#grants/refresh-token.ts";
import { KEY_PURPOSES } from "#crypto/key-purposes.ts";
import { Keyring } from "#crypto/keyring.ts";
import * as fc from "fast-check";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const masterKey = (id: string, byte: number) => `${id}:${base64url.encode(new Uint8Array(32).fill(byte))}`;
const keyring = new Keyring(masterKey("one", 1));
const claim = fc.record({
  grantId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => base64url.encode(new Uint8Array(bytes))),
  generation: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});
const CLAIM = { grantId: "AAECAwQFBgcICQoLDA0ODw", generation: 7 };

describe("refresh tokens (RFC 9700 §4.14)", () => {
  it("name their grant and generation, and are the same each time", async () => {
    await fc.assert(
      fc.asyncProperty(claim, async (said) => {
        const token = await makeRefreshToken(keyring, said);
        expect(token).toMatch(/^ghr_[A-Za-z0-9_-]{72}$/);
        expect(await makeRefreshToken(keyring, said)).toBe(token);
        expect(await readRefreshToken(keyring, token)).toEqual(said);
      }),
    );
  });

  it("differ for each grant and generation", async () => {
    await fc.assert(
      fc.asyncProperty(claim, claim, async (one, other) => {
        fc.pre(one.grantId !== other.grantId || one.generation !== other.generation);
        expect(await makeRefreshToken(keyring, one)).not.toBe(await makeRefreshToken(keyring, other));
      }),
    );
  });

  it("are refused with any one bit flipped", async () => {
    const bytes = base64url.decode((await makeRefreshToken(keyring, CLAIM)).slice(4));
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const turned = new Uint8Array(bytes);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await readRefreshToken(keyring, `ghr_${base64url.encode(turned)}`)).toBeUndefined();
    }
  });

  it("are refused with any one character changed", async () => {
    const token = await makeRefreshToken(keyring, CLAIM);
    for (const index of Array.from(token).keys()) {
      for (const letter of ALPHABET) {
        if (letter === token[index]) continue;
        const changed = token.slice(0, index) + letter + token.slice(index + 1);
        expect(await readRefreshToken(keyring, changed)).toBeUndefined();
      }
    }
  });

  it("are refused if shortened or extended anywhere, in another case, padded or in the other base64", async () => {
    const token = await makeRefreshToken(keyring, CLAIM);
    for (const index of Array.from(token).keys()) {
      const shorter = token.slice(0, index) + token.slice(index + 1);
      const longer = `${token.slice(0, index)}A${token.slice(index)}`;
      for (const variant of [shorter, longer, token.slice(0, index), token.slice(index + 1)]) {
        expect(await readRefreshToken(keyring, variant)).toBeUndefined();
      }
    }
    const odd = [`${token}A`, `${token}=`, `${token}\n`, ` ${token}`, token.toLowerCase(), token.toUpperCase()];
    for (const variant of [...odd, token.slice(4), `GHR_${token.slice(4)}`, `ghr_ghr_${token.slice(4)}`, ""]) {
      expect(await readRefreshToken(keyring, variant)).toBeUndefined();
    }
  });

  it("are refused if their master key is not configured", async () => {
    const token = await makeRefreshToken(keyring, CLAIM);
    const two = masterKey("two", 2);
    expect(await readRefreshToken(new Keyring(two), token)).toBeUndefined();
    expect(await readRefreshToken(new Keyring(masterKey("one", 2)), token)).toBeUndefined();
    expect(await readRefreshToken(new Keyring(`${two},${masterKey("one", 1)}`), token)).toEqual(CLAIM);
  });

  it("can't be made from a MAC for anything else", async () => {
    const bytes = base64url.decode((await makeRefreshToken(keyring, CLAIM)).slice(4));
    const said = new Uint8Array(bytes.subarray(0, 20));
    for (const purpose of KEY_PURPOSES.mac.filter((other) => other !== "refresh-token")) {
      const forged = new Uint8Array([...said, ...(await keyring.macBytes(purpose, said))]);
      expect(await readRefreshToken(keyring, `ghr_${base64url.encode(forged)}`)).toBeUndefined();
    }
  });
});
