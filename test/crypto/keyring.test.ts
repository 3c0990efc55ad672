import { Keyring, KeyringError } from "#crypto/keyring.ts";
import * as fc from "fast-check";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";

const keyOf = (byte: number) => base64url.encode(new Uint8Array(32).fill(byte));
const OLD = `old:${keyOf(1)}`;
const NEW = `new:${keyOf(2)}`;
const keyring = new Keyring(OLD);
const text = fc.string({ unit: "grapheme", maxLength: 60 });

/** Every variant of these bytes with one bit turned. */
function* withOneBitTurned(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const turned = new Uint8Array(bytes);
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield turned;
  }
}

describe("sealing (AES-256-GCM)", () => {
  it("opens for the same purpose what was sealed, and never seals twice alike", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (purpose, plaintext) => {
        const sealed = await keyring.seal(purpose, plaintext);
        expect(await keyring.open(purpose, sealed)).toBe(plaintext);
        expect(await keyring.seal(purpose, plaintext)).not.toBe(sealed);
      }),
    );
  });

  it("opens for no other purpose", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (purpose, another) => {
        fc.pre(purpose !== another);
        const sealed = await keyring.seal(purpose, "secret");
        await expect(keyring.open(another, sealed)).rejects.toBeInstanceOf(KeyringError);
      }),
    );
  });

  it("refuses a nonce or ciphertext with any one bit turned, cut or grown", async () => {
    const sealed = await keyring.seal("purpose", "secret");
    const [version = "", id = "", nonce = "", ciphertext = ""] = sealed.split(".");
    const variants = [
      ...Array.from(withOneBitTurned(base64url.decode(nonce)), (bytes) => [base64url.encode(bytes), ciphertext]),
      ...Array.from(withOneBitTurned(base64url.decode(ciphertext)), (bytes) => [nonce, base64url.encode(bytes)]),
      [nonce, ciphertext.slice(0, -4)],
      [nonce, `${ciphertext}AAAA`],
      ["", ciphertext],
      [nonce, ""],
    ];
    for (const [n, c] of variants) {
      await expect(keyring.open("purpose", [version, id, n, c].join("."))).rejects.toBeInstanceOf(KeyringError);
    }
  });

  it("refuses whatever is no sealed value, with the same kind of error", async () => {
    for (const sealed of ["", "v1", "v1.old", "v1.old.!.!", "v2.old.AAAA.AAAA", "v1.nobody.AAAA.AAAA", "...."]) {
      await expect(keyring.open("purpose", sealed)).rejects.toBeInstanceOf(KeyringError);
    }
  });

  it("opens under an older key while that is configured, and seals under the first", async () => {
    const sealed = await keyring.seal("purpose", "secret");
    const rotated = new Keyring(`${NEW},${OLD}`);
    expect(await rotated.open("purpose", sealed)).toBe("secret");
    expect(await new Keyring(NEW).open("purpose", await rotated.seal("purpose", "secret"))).toBe("secret");
    await expect(new Keyring(NEW).open("purpose", sealed)).rejects.toBeInstanceOf(KeyringError);
    await expect(new Keyring(`old:${keyOf(3)}`).open("purpose", sealed)).rejects.toBeInstanceOf(KeyringError);
  });
});

describe("message authentication (HMAC-SHA-256)", () => {
  it("holds for its own purpose and text alone", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (purpose, message, another) => {
        fc.pre(another !== message && another !== purpose);
        const mac = await keyring.mac(purpose, message);
        expect(await keyring.verifyMac(purpose, message, mac)).toBe(true);
        expect(await keyring.verifyMac(purpose, another, mac)).toBe(false);
        expect(await keyring.verifyMac(another, message, mac)).toBe(false);
      }),
    );
  });

  it("refuses a MAC with any one bit turned, cut, grown or padded", async () => {
    const mac = await keyring.mac("purpose", "message");
    const bits = Array.from(withOneBitTurned(base64url.decode(mac)), (bytes) => base64url.encode(bytes));
    const lengths = Array.from(mac, (_, length) => mac.slice(0, length));
    for (const variant of [...bits, ...lengths, `${mac}A`, `${mac}AAAA`, `${mac}=`, ` ${mac}`, ""]) {
      expect(await keyring.verifyMac("purpose", "message", variant)).toBe(false);
    }
  });

  it("takes a MAC in one spelling: the bits that base64url leaves over are not free", async () => {
    const mac = await keyring.mac("purpose", "message");
    for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const spelt = mac.slice(0, -1) + letter;
      expect(await keyring.verifyMac("purpose", "message", spelt)).toBe(spelt === mac);
    }
  });

  it("takes a MAC under an older key while that is configured", async () => {
    const mac = await keyring.mac("purpose", "message");
    expect(await new Keyring(`${NEW},${OLD}`).verifyMac("purpose", "message", mac)).toBe(true);
    expect(await new Keyring(NEW).verifyMac("purpose", "message", mac)).toBe(false);
    expect(await new Keyring(`old:${keyOf(3)}`).verifyMac("purpose", "message", mac)).toBe(false);
  });
});

describe("derived secrets (HMAC-SHA-256)", () => {
  it("follow from purpose, text and key alone, and are 256 bits", async () => {
    const [secret = ""] = await keyring.deriveSecrets("purpose", "text");
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await new Keyring(OLD).deriveSecrets("purpose", "text")).toEqual([secret]);
    for (const others of [
      await keyring.deriveSecrets("purpose", "text2"),
      await keyring.deriveSecrets("purpose2", "text"),
      await new Keyring(`old:${keyOf(3)}`).deriveSecrets("purpose", "text"),
    ]) {
      expect(others).not.toContain(secret);
    }
  });

  it("are there under each configured key, the current one first", async () => {
    const [old] = await keyring.deriveSecrets("purpose", "text");
    const [young] = await new Keyring(NEW).deriveSecrets("purpose", "text");
    expect(await new Keyring(`${NEW},${OLD}`).deriveSecrets("purpose", "text")).toEqual([young, old]);
  });

  it("are no MAC that we hand out for the same purpose and text", async () => {
    const mac = base64url.decode(await keyring.mac("purpose", "text")).subarray(2);
    expect(await keyring.deriveSecrets("purpose", "text")).not.toContain(base64url.encode(mac));
  });
});

describe("the configuration of master keys", () => {
  it.each([
    undefined,
    "",
    " , ",
    "old",
    `:${keyOf(1)}`,
    "old:",
    `old:${keyOf(1)}=`,
    `old:${keyOf(1).slice(1)}`,
    `old:${keyOf(1)}A`,
    `o.d:${keyOf(1)}`,
    `old:${keyOf(1)}:x`,
    `${OLD},new:short`,
    `old:${"!".repeat(43)}`,
  ])("is refused as %j, in words that name no key", (configured) => {
    expect(() => new Keyring(configured)).toThrow(KeyringError);
    const namesNoKey = expect.objectContaining({ message: expect.not.stringContaining(keyOf(1).slice(0, 20)) });
    expect(() => new Keyring(configured)).toThrow(namesNoKey);
  });
});
