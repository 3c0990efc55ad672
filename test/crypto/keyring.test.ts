import { KEY_PURPOSES, type SealPurpose } from "#crypto/key-purposes.ts";
import { Keyring, KeyringError } from "#crypto/keyring.ts";
import * as fc from "fast-check";
import { base64url } from "jose";
import { describe, expect, it, vi } from "vitest";

const keyOf = (byte: number) => base64url.encode(new Uint8Array(32).fill(byte));
const OLD = `old:${keyOf(1)}`;
const NEW = `new:${keyOf(2)}`;
const keyring = new Keyring(OLD);
const text = fc.string({ unit: "grapheme", maxLength: 60 });

const sealPurpose = fc
  .tuple(fc.constantFrom(...KEY_PURPOSES.seal), text)
  .map(([kind, subject]): SealPurpose => `${kind}:${subject}`);
const macPurpose = fc.constantFrom(...KEY_PURPOSES.mac);

/** Yields every variant of these bytes with one bit flipped. */
function* withOneBitTurned(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const turned = new Uint8Array(bytes);
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield turned;
  }
}

describe("Keyring: sealing (AES-256-GCM)", () => {
  it("opens what was sealed for the same purpose, and never seals the same text to the same value", async () => {
    await fc.assert(
      fc.asyncProperty(sealPurpose, text, async (purpose, plaintext) => {
        const sealed = await keyring.seal(purpose, plaintext);
        expect(await keyring.open(purpose, sealed)).toBe(plaintext);
        expect(await keyring.seal(purpose, plaintext)).not.toBe(sealed);
      }),
    );
  });

  it("refuses to open for another purpose", async () => {
    await fc.assert(
      fc.asyncProperty(sealPurpose, sealPurpose, async (purpose, another) => {
        fc.pre(purpose !== another);
        const sealed = await keyring.seal(purpose, "secret");
        await expect(keyring.open(another, sealed)).rejects.toBeInstanceOf(KeyringError);
      }),
    );
  });

  it("refuses a nonce or ciphertext with any bit flipped, or of another length", async () => {
    const sealed = await keyring.seal("signing-key:1", "secret");
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
      await expect(keyring.open("signing-key:1", [version, id, n, c].join("."))).rejects.toBeInstanceOf(KeyringError);
    }
  });

  it("refuses every other spelling of a sealed value", async () => {
    const sealed = await keyring.seal("signing-key:1", "secret");
    const [version = "", id = "", nonce = "", ciphertext = ""] = sealed.split(".");
    const others = Array.from(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
      (end) => nonce.slice(0, -1) + end,
    );
    expect(others.filter((other) => other === nonce)).toHaveLength(1);
    for (const spelling of [...others.filter((other) => other !== nonce), `${nonce}=`, `${nonce} `]) {
      await expect(keyring.open("signing-key:1", [version, id, spelling, ciphertext].join("."))).rejects.toThrow(
        KeyringError,
      );
    }
    for (const longer of [`${sealed}.`, `${sealed}.AAAA`, `${sealed}=`, `${sealed}\n`]) {
      await expect(keyring.open("signing-key:1", longer)).rejects.toThrow(KeyringError);
    }
  });

  it("refuses a text that is no sealed value, with the same kind of error", async () => {
    for (const sealed of ["", "v2", "v2.old", "v2.old.!.!", "v1.old.AAAA.AAAA", "v2.nobody.AAAA.AAAA", "...."]) {
      await expect(keyring.open("signing-key:1", sealed)).rejects.toBeInstanceOf(KeyringError);
    }
  });

  it("distinguishes a value of another format from one whose key is not configured", async () => {
    const sealed = await keyring.seal("signing-key:1", "secret");
    const ofBefore = sealed.replace(/^v2\./, "v1.");
    expect([keyring.isCurrent(sealed), keyring.isCurrent(ofBefore)]).toEqual([true, false]);
    await expect(keyring.open("signing-key:1", ofBefore)).rejects.toThrow("a format of another version");
    await expect(new Keyring(NEW).open("signing-key:1", sealed)).rejects.toThrow("not configured (old)");
  });

  it("opens with an older key while that is configured, and seals with the first", async () => {
    const sealed = await keyring.seal("signing-key:1", "secret");
    const rotated = new Keyring(`${NEW},${OLD}`);
    expect(await rotated.open("signing-key:1", sealed)).toBe("secret");
    expect(await new Keyring(NEW).open("signing-key:1", await rotated.seal("signing-key:1", "secret"))).toBe("secret");
    await expect(new Keyring(NEW).open("signing-key:1", sealed)).rejects.toBeInstanceOf(KeyringError);
    await expect(new Keyring(`old:${keyOf(3)}`).open("signing-key:1", sealed)).rejects.toBeInstanceOf(KeyringError);
  });
});

describe("Keyring: message authentication (HMAC-SHA-256)", () => {
  it("verifies a MAC only for its own purpose and text", async () => {
    await fc.assert(
      fc.asyncProperty(macPurpose, macPurpose, text, text, async (purpose, other, message, another) => {
        fc.pre(another !== message && other !== purpose);
        const mac = await keyring.mac(purpose, message);
        expect(await keyring.verifyMac(purpose, message, mac)).toBe(true);
        expect(await keyring.verifyMac(purpose, another, mac)).toBe(false);
        expect(await keyring.verifyMac(other, message, mac)).toBe(false);
      }),
    );
  });

  it("refuses a MAC with any bit flipped, of another length, or padded", async () => {
    const mac = await keyring.mac("refresh-token", "message");
    const bits = Array.from(withOneBitTurned(base64url.decode(mac)), (bytes) => base64url.encode(bytes));
    const lengths = Array.from(mac, (_, length) => mac.slice(0, length));
    for (const variant of [...bits, ...lengths, `${mac}A`, `${mac}AAAA`, `${mac}=`, ` ${mac}`, ""]) {
      expect(await keyring.verifyMac("refresh-token", "message", variant)).toBe(false);
    }
  });

  it("accepts only one spelling of a MAC: leftover bits of base64url must be zero", async () => {
    const mac = await keyring.mac("refresh-token", "message");
    for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const spelt = mac.slice(0, -1) + letter;
      expect(await keyring.verifyMac("refresh-token", "message", spelt)).toBe(spelt === mac);
    }
  });

  it("accepts a MAC made with an older key while that is configured", async () => {
    const mac = await keyring.mac("refresh-token", "message");
    expect(await new Keyring(`${NEW},${OLD}`).verifyMac("refresh-token", "message", mac)).toBe(true);
    expect(await new Keyring(NEW).verifyMac("refresh-token", "message", mac)).toBe(false);
    expect(await new Keyring(`old:${keyOf(3)}`).verifyMac("refresh-token", "message", mac)).toBe(false);
  });
});

describe("Keyring: derived secrets (HMAC-SHA-256)", () => {
  it("have 256 bits and depend on text and key", async () => {
    const [secret = ""] = await keyring.deriveSecrets("service-token-successor", "text");
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await new Keyring(OLD).deriveSecrets("service-token-successor", "text")).toEqual([secret]);
    for (const others of [
      await keyring.deriveSecrets("service-token-successor", "text2"),
      await new Keyring(`old:${keyOf(3)}`).deriveSecrets("service-token-successor", "text"),
    ]) {
      expect(others).not.toContain(secret);
    }
  });

  it("are derived with each configured key, the current one first", async () => {
    const [old] = await keyring.deriveSecrets("service-token-successor", "text");
    const [young] = await new Keyring(NEW).deriveSecrets("service-token-successor", "text");
    expect(await new Keyring(`${NEW},${OLD}`).deriveSecrets("service-token-successor", "text")).toEqual([young, old]);
  });

  it("are never the MAC of the same text, which we give out", async () => {
    const mac = base64url.decode(await keyring.mac("refresh-token", "text")).subarray(2);
    expect(await keyring.deriveSecrets("service-token-successor", "text")).not.toContain(base64url.encode(mac));
  });
});

describe("Keyring: keys derived from a master key (HKDF, RFC 5869)", () => {
  /** Uses every purpose, and returns the HKDF infos of the keys that were derived. */
  async function derivedFor(ring: Keyring): Promise<string[]> {
    const infos: string[] = [];
    const deriveKey = crypto.subtle.deriveKey.bind(crypto.subtle);
    const spy = vi.spyOn(crypto.subtle, "deriveKey").mockImplementation((...given) => {
      infos.push(new TextDecoder().decode((given[0] as SubtleCryptoDeriveKeyAlgorithm).info));
      return deriveKey(...given);
    });
    for (const purpose of KEY_PURPOSES.seal) {
      for (const subject of ["one", "two"]) await ring.seal(`${purpose}:${subject}`, "text");
    }
    for (const purpose of KEY_PURPOSES.mac) await ring.mac(purpose, "text");
    for (const purpose of KEY_PURPOSES.secret) await ring.deriveSecrets(purpose, "text");
    spy.mockRestore();
    return infos;
  }

  it("are derived once for each purpose, whatever its subject", async () => {
    const purposes = Object.entries(KEY_PURPOSES).flatMap(([use, names]) =>
      names.map((name) => `gatehouse:${use}:${name}`),
    );
    const derived = await derivedFor(new Keyring(OLD));
    expect(derived.sort()).toEqual([...purposes, "gatehouse:mark"].sort());
    expect(new Set(derived).size).toBe(derived.length);
  });

  it("give different MACs for each purpose, and the same MACs with the same master key", async () => {
    const macsOf = (ring: Keyring) => Promise.all(KEY_PURPOSES.mac.map((purpose) => ring.mac(purpose, "text")));
    const macs = await macsOf(keyring);
    expect(new Set(macs).size).toBe(KEY_PURPOSES.mac.length);
    expect(await macsOf(new Keyring(OLD))).toEqual(macs);
  });

  it("seal each value with its own key, so that many cursors can't exhaust the nonces of one", async () => {
    const imported: string[] = [];
    const importKey = crypto.subtle.importKey.bind(crypto.subtle);
    const spy = vi.spyOn(crypto.subtle, "importKey").mockImplementation((...given: unknown[]) => {
      if (given[2] === "AES-GCM") imported.push(base64url.encode(new Uint8Array(given[1] as Uint8Array)));
      return (importKey as (...args: unknown[]) => Promise<CryptoKey>)(...given);
    });
    const sealed: string[] = [];
    for (let n = 0; n < 50; n += 1) sealed.push(await keyring.seal("search-cursor:one", "position"));
    spy.mockRestore();
    expect(new Set(imported).size).toBe(50);
    expect(new Set(sealed.map((value) => value.split(".")[2])).size).toBe(50);
    expect(base64url.decode(sealed[0]?.split(".")[2] ?? "")).toHaveLength(28);
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
  ])("is refused as %j, with a message that contains no key", (configured) => {
    expect(() => new Keyring(configured)).toThrow(KeyringError);
    const namesNoKey = expect.objectContaining({ message: expect.not.stringContaining(keyOf(1).slice(0, 20)) });
    expect(() => new Keyring(configured)).toThrow(namesNoKey);
  });
});
