import { InstanceHosts } from "#instance/instance-host.ts";
import { servicesOf } from "#services.ts";
import { describe, expect, it, vi } from "vitest";
import { env } from "../support/isolate.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

const NAMING = { pattern: "{instance}-be.example.com", localDevelopment: false };

describe("InstanceHosts", () => {
  it("keeps an instance's host cached, however many hosts without an instance are requested", () => {
    const hosts = new InstanceHosts(NAMING);
    const origin = "https://acme-be.example.com";
    const acme = hosts.find(origin);
    hosts.remember(origin, acme);
    for (let n = 0; n < 3000; n += 1) {
      hosts.find(`https://nobody-${n}-be.example.com`);
      hosts.find(`https://nobody-${n}.example.org`);
      hosts.find(`http://nobody-${n}-be.example.com`);
    }
    // The same object: without the cache, a new one would have been made from the origin.
    expect(hosts.find(origin)).toBe(acme);
  });

  it("finds no instance if the Host header is no valid host, which some runtimes pass on", () => {
    const hosts = new InstanceHosts(NAMING);
    for (const host of [
      "acme-be.example.com, evil.example",
      "acme-be.example.com:x",
      "[acme",
      "a b",
      "%",
      "acme-be.example.com:99999",
    ])
      expect(hosts.find(`https://${host}`), host).toBe("names_no_instance");
  });

  it("caches the hosts of at most 1000 instances, and drops the oldest first", () => {
    const hosts = new InstanceHosts(NAMING);
    const originOf = (n: number) => `https://acme-${n}-be.example.com`;
    const found = Array.from({ length: 1001 }, (_, n) => hosts.find(originOf(n)));
    for (const [n, host] of found.entries()) hosts.remember(originOf(n), host);
    expect(hosts.find(originOf(0))).not.toBe(found[0]);
    expect(hosts.find(originOf(1000))).toBe(found[1000]);
  });

  it("caches a host only once a request has found its instance", async () => {
    await makeInstance();
    const remember = vi.spyOn(servicesOf(env).instanceHosts, "remember");
    for (const origin of ["http://nobody.localhost", "http://acme.example.org", "http://a..localhost"]) {
      expect((await send(`${origin}/`)).status).toBe(404);
    }
    expect(remember).not.toHaveBeenCalled();
    expect((await send(`${ORIGIN}/`)).status).toBe(200);
    expect(remember).toHaveBeenCalledWith(ORIGIN, { name: "acme", issuer: ORIGIN });
  });
});
