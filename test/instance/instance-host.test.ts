import { InstanceHosts } from "#instance/instance-host.ts";
import { servicesOf } from "#services.ts";
import { describe, expect, it, vi } from "vitest";
import { env } from "../support/isolate.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

const NAMING = { pattern: "{instance}-be.example.com", localDevelopment: false };

describe("hosts of instances", () => {
  it("stay remembered, however many hosts of no instance are asked for", () => {
    const hosts = new InstanceHosts(NAMING);
    const origin = "https://acme-be.example.com";
    const acme = hosts.find(origin);
    hosts.remember(origin, acme);
    for (let n = 0; n < 3000; n += 1) {
      hosts.find(`https://nobody-${n}-be.example.com`);
      hosts.find(`https://nobody-${n}.example.org`);
      hosts.find(`http://nobody-${n}-be.example.com`);
    }
    // The very same object: another would have been made of the origin again.
    expect(hosts.find(origin)).toBe(acme);
  });

  it("are none where the Host header holds no host, as some runtimes hand it on", () => {
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

  it("are remembered for a bounded number of instances, the oldest forgotten first", () => {
    const hosts = new InstanceHosts(NAMING);
    const originOf = (n: number) => `https://acme-${n}-be.example.com`;
    const found = Array.from({ length: 1001 }, (_, n) => hosts.find(originOf(n)));
    for (const [n, host] of found.entries()) hosts.remember(originOf(n), host);
    expect(hosts.find(originOf(0))).not.toBe(found[0]);
    expect(hosts.find(originOf(1000))).toBe(found[1000]);
  });

  it("are remembered once a request has found their instance, and no other is", async () => {
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
