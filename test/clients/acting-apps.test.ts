import { findActingFault } from "#clients/acting-apps.ts";
import { actingApps } from "#protocol/access-token-claims.ts";
import { describe, expect, it } from "vitest";

describe("access that apps passed on (RFC 8693 §4.1)", () => {
  const chain = (...subs: string[]) =>
    subs.reduceRight<Record<string, unknown> | undefined>((act, sub) => ({ sub, ...(act && { act }) }), undefined);

  it("is read with the current app first, and at most four apps", () => {
    expect(actingApps(undefined)).toEqual([]);
    expect(actingApps(chain("agent", "app"))?.map(({ sub }) => sub)).toEqual(["agent", "app"]);
    expect(actingApps(chain("4", "3", "2", "1"))).toHaveLength(4);
    expect(actingApps(chain("5", "4", "3", "2", "1"))).toBeUndefined();
  });

  it.each([
    null,
    "app",
    [],
    {},
    { sub: 1 },
    { sub: "a", iss: 1 },
    { sub: "a", client_kind: {} },
    { sub: "a", act: "b" },
  ])("is malformed as %j", (act) => {
    expect(actingApps(act)).toBeUndefined();
  });

  it("ends when one of the apps that exchanged may not, or any app of this instance is disabled", () => {
    const apps = [{ sub: "second" }, { sub: "first" }, { sub: "app" }];
    const fault = (exchangers: string[], disabled: string[] = [], of: Parameters<typeof findActingFault>[1] = apps) =>
      findActingFault({ exchangers: new Set(exchangers), disabledClients: new Set(disabled) }, of);
    expect(fault(["second", "first"])).toBeUndefined();
    for (const lacking of [["second"], ["first"], ["app"], []]) expect(fault(lacking)).toBe("token_exchange_off");
    for (const { sub } of apps) expect(fault(["second", "first"], [sub])).toBe("client_disabled");
    const ofProvider = [
      { sub: "first" },
      { iss: "https://idp.example", sub: "app" },
      { iss: "https://idp.example", sub: "broker" },
    ];
    expect(fault(["first"], ["app", "broker"], ofProvider)).toBeUndefined();
    expect(fault([], [], ofProvider)).toBe("token_exchange_off");
    expect(fault([], [], [])).toBeUndefined();
  });
});
