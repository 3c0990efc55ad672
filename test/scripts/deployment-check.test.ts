import { describe, expect, it } from "vitest";
import { checkDeployment } from "../../scripts/admin/deployment-check.ts";
import { readWranglerConfig, type WranglerConfig } from "../../scripts/admin/wrangler-config.ts";

const REPOSITORY = readWranglerConfig(".", "");
const STAGING = readWranglerConfig(".", "staging");

/** The repository's configuration with what a deployer of `acme.test` writes. */
const DEPLOYED: WranglerConfig = {
  ...REPOSITORY,
  vars: { ...REPOSITORY.vars, INSTANCE_HOST: "{instance}-be.acme.test" },
  routes: [{ pattern: "*-be.acme.test/*", zone_name: "acme.test" }],
  d1_databases: [{ binding: "DB", database_name: "gatehouse", database_id: "11111111-1111-4111-8111-111111111111" }],
  kv_namespaces: [{ binding: "CACHE", id: "22222222222222222222222222222222" }],
};

/** Returns the checks of a configuration that aren't ok, with their verdicts. */
function complaints(changes: Partial<WranglerConfig>, others: readonly WranglerConfig[] = [], masterKeys?: string) {
  const findings = checkDeployment({ ...DEPLOYED, ...changes }, others, masterKeys);
  return findings.flatMap(({ check, verdict }) => (verdict === "ok" ? [] : [`${check}: ${verdict}`]));
}

const withHost = (host: string) => ({ vars: { ...DEPLOYED.vars, INSTANCE_HOST: host } });

describe("the check before a deployment", () => {
  it("finds every value of the repository's wrangler.toml that a deployer has to replace, and nothing else", () => {
    const wrong = ["Ids: failed", "INSTANCE_HOST: failed", "Routes: failed"];
    expect(complaints(REPOSITORY)).toEqual(wrong);
    expect(complaints(STAGING, [REPOSITORY])).toEqual(wrong);
    expect(complaints({}, [STAGING])).toEqual([]);
  });

  it("finds a missing id by itself, and names the command that prints it", () => {
    const { d1_databases, kv_namespaces } = REPOSITORY;
    expect(complaints({ d1_databases })).toEqual(["Ids: failed"]);
    const [, ids] = checkDeployment({ ...DEPLOYED, kv_namespaces }, [], undefined);
    expect(ids?.remedy).toBe("npx wrangler kv namespace create CACHE prints the id of the cache.");
  });

  it.each(["*-be.acme.test/*", "*.acme.test/*", "*acme.test/*", "https://*-be.acme.test/*", "one-be.acme.test"])(
    "accepts the route %s for the hosts of instances",
    (pattern) => expect(complaints({ routes: [{ pattern, zone_name: "acme.test" }] })).toEqual([]),
  );

  it.each(["*-be.acme.test", "*-be.acme.test/rest/*", "*-fe.acme.test/*", "be.acme.test/*", "-be.acme.test/*"])(
    "refuses the route %s, by which not every request reaches the Worker",
    (pattern) => expect(complaints({ routes: [pattern] })).toEqual(["Routes: failed"]),
  );

  it("warns about hosts too deep for the usual certificate", () => {
    const routes = [{ pattern: "*.be.acme.test/*", zone_name: "acme.test" }];
    expect(complaints({ ...withHost("{instance}.be.acme.test"), routes })).toEqual(["INSTANCE_HOST: warning"]);
  });

  it("knows the one address of a Worker without a domain", () => {
    const { routes: _routes, ...withoutRoutes } = DEPLOYED;
    const trial = { ...withoutRoutes, ...withHost("{instance}.acme.workers.dev") };
    const [, , , address] = checkDeployment(trial, [], undefined);
    expect(address?.meaning).toContain("https://gatehouse.acme.workers.dev, so the instance must be named gatehouse");
    const verdictOf = (config: WranglerConfig) => checkDeployment(config, [], undefined)[3]?.verdict;
    expect(verdictOf({ ...trial, workers_dev: false })).toBe("failed");
    expect(verdictOf({ ...trial, ...withHost("{instance}-be.acme.workers.dev") })).toBe("failed");
    expect(verdictOf({ ...trial, routes: ["*.other.test/*"] })).toBe("failed");
  });

  it("finds data that two environments share", () => {
    expect(complaints({}, [{ ...STAGING, d1_databases: DEPLOYED.d1_databases }])).toEqual(["Environments: failed"]);
    expect(complaints({}, [{ ...STAGING, ratelimits: DEPLOYED.ratelimits }])).toEqual(["Environments: failed"]);
  });

  it("finds wrong variables, missing bindings, an unusable master key, and development in production", () => {
    const wrong = ["Variables and bindings: failed"];
    expect(complaints({ vars: { ...DEPLOYED.vars, SERVICE_NAME: "検索" } })).toEqual(wrong);
    expect(complaints({ vars: { ...DEPLOYED.vars, LOCAL_DEVELOPMENT: "true" } })).toEqual(wrong);
    expect(complaints({ ratelimits: DEPLOYED.ratelimits.slice(1) })).toEqual(wrong);
    expect(complaints({}, [], "k1:short")).toEqual(wrong);
  });

  it("finds a missing schedule of the maintenance, and records of the platform that contain searches", () => {
    expect(complaints({ triggers: { crons: ["* * * * *"] } })).toEqual(["Maintenance: failed"]);
    const { observability, ...silent } = DEPLOYED;
    expect(complaints({ observability: { ...observability, traces: { enabled: true } } })).toEqual(["Log: warning"]);
    expect(checkDeployment(silent, [], undefined).at(-1)?.verdict).toBe("warning");
  });
});
