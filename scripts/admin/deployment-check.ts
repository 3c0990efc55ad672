import { randomBytes } from "node:crypto";
import { configurationFaults } from "#platform/configuration.ts";
import { failed, type Finding, ok, warning } from "#platform/finding.ts";
import { instanceOfHost } from "#platform/host-naming.ts";
import { hasDeclared, type WranglerConfig } from "./wrangler-config.ts";

/** The hosts of the example in `wrangler.toml`, which belong to nobody (RFC 2606 §3). */
const EXAMPLE = /(^|\.)example\.(com|net|org)$/;

const WORKERS_DEV = ".workers.dev";

/** The schedules that maintenance relies on; without the second, the first does its work. */
const HOURLY = "0 * * * *";

/**
 * Checks what `wrangler deploy` would deploy, without an account: it finds what wrangler accepts and what would then not work.
 *
 * @param config one environment
 * @param others the other environments, which must not share its data
 * @param masterKeys the deployment's secret, if this terminal has it
 */
export function checkDeployment(
  config: WranglerConfig,
  others: readonly WranglerConfig[],
  masterKeys: string | undefined,
): readonly Finding[] {
  return [
    checkConfiguration(config, masterKeys),
    checkPlaceholders(config),
    checkHosts(config),
    checkAddress(config),
    checkSharing(config, others),
    checkMaintenance(config),
    checkSecrecy(config),
  ];
}

function checkConfiguration(config: WranglerConfig, masterKeys: string | undefined): Finding {
  // Without the secret in this terminal, the variables are checked all the same.
  const keys = masterKeys ?? `none:${randomBytes(32).toString("base64url")}`;
  const faults = configurationFaults({ ...config.vars, MASTER_KEYS: keys }, hasDeclared(config));
  if (config.vars["LOCAL_DEVELOPMENT"] === "true") {
    faults.push('LOCAL_DEVELOPMENT must be "false": with "true", error pages show reasons and http is served.');
  }
  const [first] = faults;
  if (first !== undefined) return failed("Variables and bindings", `${faults.length} wrong.`, faults.join(" "));
  return ok("Variables and bindings", "Everything that the Worker needs is set.");
}

/** Finds the ids that the repository's file contains, for which a deployer has to write their own. */
function checkPlaceholders({ d1_databases, kv_namespaces }: WranglerConfig): Finding {
  const remedies = [
    ...d1_databases.flatMap(({ database_id, database_name }) =>
      isPlaceholder(database_id) ? [`npx wrangler d1 create ${database_name} prints the database_id.`] : [],
    ),
    ...kv_namespaces.flatMap(({ id }) =>
      isPlaceholder(id) ? ["npx wrangler kv namespace create CACHE prints the id of the cache."] : [],
    ),
  ];
  if (remedies.length === 0) return ok("Ids", "The database and the cache have ids.");
  return failed("Ids", "wrangler.toml still has the zeros of the example.", remedies.join(" "));
}

/** Checks whether an id is absent, or the zeros of the repository's file. */
function isPlaceholder(id = ""): boolean {
  return /^[0-]*$/.test(id);
}

function checkHosts(config: WranglerConfig): Finding {
  const host = hostOf(config);
  if (EXAMPLE.test(host)) {
    return failed("INSTANCE_HOST", `${host} is the example's.`, "Set it to the pattern of your own hosts.");
  }
  const zone = config.routes
    ?.flatMap((route) => (typeof route === "string" ? [] : [route.zone_name]))
    .find((name) => name !== undefined && host.endsWith(`.${name}`));
  const labels = zone === undefined ? 1 : host.slice(0, -zone.length - 1).split(".").length;
  if (labels > 1) {
    return warning(
      "INSTANCE_HOST",
      `${host} is ${labels} levels below ${zone}, and Universal SSL covers one.`,
      "Use a host such as {instance}-be.example.com, or order a certificate for it.",
    );
  }
  return ok("INSTANCE_HOST", `Instances are at https://${host}.`);
}

/** Checks whether requests to the hosts of instances reach the Worker. */
function checkAddress(config: WranglerConfig): Finding {
  const host = hostOf(config);
  const routes = (config.routes ?? []).map((route) => (typeof route === "string" ? route : route.pattern));
  if (host.endsWith(WORKERS_DEV)) return checkTrial(config, host, routes.length);
  if (routes.length === 0) {
    const remedy = "Add [[routes]] with a pattern and zone_name, or a custom domain for each instance.";
    return failed("Routes", `No route leads from ${host} to the Worker.`, remedy);
  }
  const reaching = routes.filter((pattern) => reaches(pattern, host));
  if (reaching.length > 0) return ok("Routes", `${reaching.join(", ")} leads to the Worker.`);
  const covering = `${host.replace("{instance}", "*")}/*`;
  return failed("Routes", `None of ${routes.join(", ")} covers ${host}.`, `Use the pattern "${covering}".`);
}

/** Checks a trial without a domain: the Worker's one address belongs to the instance that has the Worker's name. */
function checkTrial({ name, workers_dev }: WranglerConfig, host: string, routes: number): Finding {
  if (!/^\{instance\}\.[a-z0-9-]+\.workers\.dev$/.test(host)) {
    const remedy = 'Set INSTANCE_HOST to "{instance}.<your account\'s subdomain>.workers.dev".';
    return failed("Address", `A Worker has no address like ${host}.`, remedy);
  }
  if (!(workers_dev ?? routes === 0)) {
    return failed("Address", "The Worker has no workers.dev address.", "Set workers_dev = true.");
  }
  const address = `https://${host.replace("{instance}", name)}`;
  return ok("Address", `The Worker has one address, ${address}, so the instance must be named ${name}.`);
}

function checkSharing(config: WranglerConfig, others: readonly WranglerConfig[]): Finding {
  const own = dataOf(config);
  const shared = others.flatMap((other) => {
    const data = dataOf(other);
    return Object.entries(own).flatMap(([what, value]) => (data[what] === value ? [`${what} of ${other.name}`] : []));
  });
  if (shared.length === 0) return ok("Environments", "No other environment uses the same data.");
  return failed("Environments", `This one also uses the ${shared.join(", ")}.`, "Give each environment its own.");
}

/** What two environments must not share, by name. Ids that nobody has replaced are found elsewhere. */
function dataOf(config: WranglerConfig): Readonly<Record<string, string>> {
  const ids = [
    ["INSTANCE_HOST", hostOf(config)],
    ...config.d1_databases.map(({ database_id }) => ["database_id", database_id]),
    ...config.kv_namespaces.map(({ id }) => ["id of the cache", id]),
    ...config.ratelimits.map(({ name, namespace_id }) => [`namespace_id of ${name}`, namespace_id]),
  ];
  return Object.fromEntries(ids.filter(([, id]) => !isPlaceholder(id))) as Record<string, string>;
}

function checkMaintenance({ triggers: { crons = [] } }: WranglerConfig): Finding {
  if (crons.includes(HOURLY)) return ok("Maintenance", "Keys are rotated and expired rows are deleted every hour.");
  const remedy = `Add "${HOURLY}" to crons under [triggers].`;
  return failed("Maintenance", "Nothing rotates signing keys, so sign-ins would fail after 30 days.", remedy);
}

function checkSecrecy({ observability }: WranglerConfig): Finding {
  const recorded = [
    ...(observability?.traces?.enabled ? ["traces contain searches and texts of documents"] : []),
    ...(observability?.logs?.invocation_logs === false ? [] : ["the log of invocations contains paths"]),
    ...(observability?.redact_query_string ? [] : ["query strings contain searches and codes"]),
  ];
  if (recorded.length === 0) return ok("Log", "The platform records no searches, codes or documents.");
  const remedy = "Set [observability] as the repository's wrangler.toml does.";
  return warning("Log", `The platform would record what people do: ${recorded.join("; ")}.`, remedy);
}

function hostOf({ vars }: WranglerConfig): string {
  const { INSTANCE_HOST: host } = vars;
  return typeof host === "string" ? host.toLowerCase() : "";
}

/**
 * Checks whether a route covers every path of instances' hosts. A route's host can begin with `*`, which stands for any characters;
 * without it, as in a custom domain, it is the host of one instance.
 */
function reaches(pattern: string, host: string): boolean {
  const [routed = "", ...path] = pattern
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .split("/");
  if (routed.startsWith("*")) return host.endsWith(routed.slice(1)) && path.join("/") === "*";
  const instance = instanceOfHost(routed, { pattern: host, localDevelopment: false });
  return instance !== undefined && ["", "*"].includes(path.join("/"));
}
