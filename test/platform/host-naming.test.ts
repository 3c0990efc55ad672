import { instanceOfHost, isInstanceName, isLoopbackHost } from "#platform/host-naming.ts";
import { describe, expect, it } from "vitest";

const DEPLOYED = { pattern: "{instance}-be.example.com", localDevelopment: false };
const LOCAL = { ...DEPLOYED, localDevelopment: true };

describe("instanceOfHost", () => {
  it.each([
    ["acme-be.example.com", "acme"],
    ["a-b-be.example.com", "a-b"],
    ["7-be.example.com", "7"],
    ["-be.example.com", undefined],
    ["acme-be.example.com.evil.example", undefined],
    ["acme-be.example.comic", undefined],
    ["evil.acme-be.example.com", undefined],
    ["acme.example.com", undefined],
    ["acme-be.example.com.", undefined],
    ["acme-be-example.com", undefined],
    ["-acme-be.example.com", undefined],
    ["acme--be.example.com", undefined],
    ["a_b-be.example.com", undefined],
    [`${"a".repeat(64)}-be.example.com`, undefined],
    ["acme.localhost", undefined],
    ["localhost", undefined],
    ["127.0.0.1", undefined],
    ["", undefined],
  ])("maps %s to %s in a deployment", (host, name) => {
    expect(instanceOfHost(host, DEPLOYED)).toBe(name);
  });

  it.each([
    ["acme.localhost", "acme"],
    ["other.localhost", "other"],
    ["localhost", "acme"],
    ["127.0.0.1", "acme"],
    ["[::1]", "acme"],
    ["acme-be.example.com", "acme"],
    ["a.b.localhost", undefined],
    ["-a.localhost", undefined],
    ["127.0.0.2", undefined],
    ["acme.localhost.evil.example", undefined],
  ])("maps %s to %s on a developer's machine", (host, name) => {
    expect(instanceOfHost(host, LOCAL)).toBe(name);
  });

  it("returns no instance if the pattern has no place for a name", () => {
    expect(instanceOfHost("api.example.com", { pattern: "api.example.com", localDevelopment: false })).toBeUndefined();
  });
});

describe("isInstanceName", () => {
  it.each(["a", "acme", "a-b", "0", "a".repeat(63)])("accepts %s", (name) => expect(isInstanceName(name)).toBe(true));
  it.each(["", "-a", "a-", "A", "a.b", "a b", "ä", "a".repeat(64), "a\n"])("refuses %j", (name) =>
    expect(isInstanceName(name)).toBe(false),
  );
});

describe("isLoopbackHost", () => {
  it.each(["localhost", "acme.localhost", "127.0.0.1", "[::1]"])("accepts %s", (host) =>
    expect(isLoopbackHost(host)).toBe(true),
  );
  it.each(["localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost", "127.0.0.2", "10.0.0.1", "example.com"])(
    "refuses %s",
    (host) => expect(isLoopbackHost(host)).toBe(false),
  );
});
