import { type ExternalIssuer, parseExternalIssuer } from "#issuers/external-issuer.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import { COOLDOWN_SECONDS, IssuerKeys } from "#issuers/issuer-keys.ts";
import type { IssuerDocuments } from "#issuers/issuer-documents.ts";
import type { PublicJwk } from "#issuers/key-set.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { timeIs } from "../support/time.ts";

const ISSUER: ExternalIssuer = parseExternalIssuer({
  issuer: "https://idp.example",
  name: "IdP",
  clientIds: ["portal"],
  scopes: ["SEARCH"],
});

/** Longer than a caller waits for another one's fetch. */
const PATIENCE_MILLISECONDS = 20_000;

const KEY: PublicJwk = { kty: "RSA", kid: "a", n: "1", e: "AQAB" };
const EMPTY_CACHE: PublicCache = { read: async () => null, write: async () => {} };

describe("the keys of external issuers", () => {
  let now: number;
  let fetchKeys: () => Promise<PublicJwk[]>;
  let fetches: number;
  let keys: IssuerKeys;
  let behind: Promise<unknown>[];

  beforeEach(() => {
    vi.useFakeTimers();
    now = 1_800_000_000;
    timeIs(() => now);
    fetches = 0;
    behind = [];
    fetchKeys = async () => [{ ...KEY }];
    const documents: Pick<IssuerDocuments, "locateKeys" | "fetchKeys"> = {
      locateKeys: async () => "https://idp.example/keys",
      fetchKeys: () => {
        fetches += 1;
        return fetchKeys();
      },
    };
    keys = new IssuerKeys(documents as IssuerDocuments, EMPTY_CACHE);
  });

  afterEach(() => vi.useRealTimers());

  const find = (kid = "a") => keys.find(ISSUER, kid, "RS256", (work) => behind.push(work));
  const never = () => new Promise<never>(() => {});

  it("are served immediately while a failing issuer is asked again after the response", async () => {
    await find();
    fetchKeys = () => Promise.reject(new Error("down"));
    now += 3600;
    expect(await find()).toEqual(KEY);
    fetchKeys = never;
    now += COOLDOWN_SECONDS;
    expect(await find()).toEqual(KEY);
    expect(fetches).toBe(3);
  });

  it("are fetched again if the request that was fetching them has died", async () => {
    fetchKeys = never;
    const refused = expect(find()).rejects.toMatchObject({ code: "temporarily_unavailable" });
    await vi.advanceTimersByTimeAsync(PATIENCE_MILLISECONDS);
    await refused;
    fetchKeys = async () => [{ ...KEY }];
    now += COOLDOWN_SECONDS;
    expect(await find()).toEqual(KEY);
  });

  it("are fetched again in the background, too, if such a request has died", async () => {
    await find();
    fetchKeys = never;
    now += 600;
    expect(await find()).toEqual(KEY);
    fetchKeys = async () => [{ ...KEY, kid: "b" }];
    now += COOLDOWN_SECONDS;
    expect(await find()).toEqual(KEY);
    await behind.at(-1);
    expect(await find("b")).toMatchObject({ kid: "b" });
  });

  it("keep a caller waiting no longer than its patience", async () => {
    fetchKeys = never;
    const refused = [find(), find()].map((found) =>
      expect(found).rejects.toMatchObject({ retryAfterSeconds: COOLDOWN_SECONDS }),
    );
    await vi.advanceTimersByTimeAsync(PATIENCE_MILLISECONDS);
    await Promise.all(refused);
    expect(fetches).toBe(1);
  });

  it("stay valid for what they verified until the issuer withdraws them or publishes another with their id", async () => {
    const key = await find();
    if (!key) throw new Error("the key is unknown");
    const holds = () => keys.holds(ISSUER, key, (work) => behind.push(work));
    expect(holds()).toBe(true);
    now += 600;
    expect(holds()).toBe(true);
    await behind.at(-1);
    expect(holds()).toBe(true);
    fetchKeys = async () => [{ ...KEY, n: "2" }];
    now += 600;
    expect(holds()).toBe(true);
    await behind.at(-1);
    expect(holds()).toBe(false);
  });
});
