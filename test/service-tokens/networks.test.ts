import { isWithinNetworks, parseNetwork } from "#service-tokens/networks.ts";
import { describe, expect, it } from "vitest";

describe("a network (RFC 4632, RFC 4291 §2.3)", () => {
  it.each([
    ["192.0.2.0/24", "192.0.2.0/24"],
    ["192.0.2.77/24", "192.0.2.0/24"],
    ["192.0.2.77", "192.0.2.77/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["2001:db8:0:0:0:0:0:1/64", "2001:db8::/64"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["::/0", "::/0"],
    ["::ffff:192.0.2.77/120", "192.0.2.0/24"],
    ["::ffff:c000:24d", "192.0.2.77/32"],
  ])("%s is written as %s", (text, canonical) => {
    expect(parseNetwork(text)).toBe(canonical);
    expect(parseNetwork(canonical)).toBe(canonical);
  });

  it.each([
    "",
    "/",
    "/24",
    "everywhere",
    "192.0.2.0/33",
    "192.0.2.0/-1",
    "192.0.2.0/024",
    "192.0.2.0/",
    "192.0.2.0/24/24",
    "192.0.2.0/255.255.255.0",
    "192.0.2/24",
    "192.0.2.256",
    "0300.0.2.0/24",
    "0xc0.0.2.0/24",
    "3221225984",
    "2001:db8::/129",
    "2001:db8::/1e1",
    "2001:db8::1::/64",
    "fe80::1%eth0",
    "::192.0.2.0/120",
    "::ffff:0300.0.2.0/120",
    " 192.0.2.0/24",
    "192.0.2.0/24 ",
    "[2001:db8::1]",
  ])("is not %j", (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});

describe("an address and a token's networks", () => {
  it.each([
    ["192.0.2.0", true],
    ["192.0.2.255", true],
    ["192.0.3.0", false],
    ["192.0.1.255", false],
    ["::ffff:192.0.2.9", true],
    ["::ffff:c000:209", true],
    ["::ffff:192.0.3.9", false],
    ["::192.0.2.9", false],
    ["2001:db8:a::1", true],
    ["2001:DB8:000a::1", true],
    ["2001:db8:b::1", false],
    ["unknown", false],
    ["", false],
    ["192.0.2.9, 203.0.113.1", false],
    ["192.0.2.9:443", false],
    ["0300.0.2.9", false],
    ["192.521", false],
    ["2001:db8:a::1%eth0", false],
  ])("match for the address %s: %s", (address, within) => {
    expect(isWithinNetworks(["192.0.2.0/24", "2001:db8:a::/48"], address)).toBe(within);
  });

  it("always match if no network is named, even if the address is unknown", () => {
    for (const address of ["192.0.2.9", "2001:db8::1", "unknown", ""]) expect(isWithinNetworks([], address)).toBe(true);
  });

  it("only match in the same family: all of IPv4 is not all of IPv6", () => {
    expect(isWithinNetworks(["0.0.0.0/0"], "2001:db8::1")).toBe(false);
    expect(isWithinNetworks(["::/0"], "192.0.2.9")).toBe(false);
    expect(isWithinNetworks(["0.0.0.0/0"], "::ffff:192.0.2.9")).toBe(true);
  });
});
