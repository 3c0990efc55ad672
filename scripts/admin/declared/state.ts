import type { AdminApi } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { type DeclaredLimits, exportLimits, planLimits } from "./app-rules.ts";
import { appsByName, exportApps, planApps } from "./apps.ts";
import type { Json, Named, PlannedChange } from "./difference.ts";
import type { LeftOut } from "./exported.ts";
import { exportGlossary, planGlossary } from "./glossary.ts";
import { exportIssuers, planIssuers } from "./issuers.ts";
import { exportMetadataGroups, planMetadataGroups } from "./metadata-groups.ts";
import { exportRoles, planRoles } from "./roles.ts";
import type { SecretOf } from "./secrets.ts";
import { accountsByName, exportServiceAccounts, planServiceAccounts } from "./service-accounts.ts";
import { exportSettings, planSettings } from "./settings.ts";
import {
  exportFurtherSingleSignOns,
  exportSingleSignOn,
  planFurtherSingleSignOns,
  planSingleSignOn,
} from "./single-sign-on.ts";
import { exportTransmitters, planTransmitters } from "./transmitters.ts";

/** The state that a file asks for. What the file leaves out stays as it is, and nothing is ever deleted. */
export interface DeclaredState extends DeclaredLimits {
  readonly settings?: Json;
  readonly singleSignOn?: Json;
  /** The SSOs besides the first one, by the issuer's URL. */
  readonly furtherSingleSignOns?: Named;
  /** By the issuer's URL. */
  readonly issuers?: Named;
  /** Apps that administrators created, by name. */
  readonly apps?: Named;
  /** Machines, by name. */
  readonly serviceAccounts?: Named;
  /** The systems that can sign people out, by issuer. */
  readonly transmitters?: Named;
  readonly metadataGroups?: Named;
  /** What words are also called in search: all `entries`. */
  readonly glossary?: Json;
  /** The role of a person, by email. */
  readonly roles?: Json;
}

/** The parts of a file. */
export const PARTS = [
  "settings",
  "singleSignOn",
  "furtherSingleSignOns",
  "issuers",
  "apps",
  "appRules",
  "appContent",
  "serviceAccounts",
  "serviceAccountContent",
  "transmitters",
  "metadataGroups",
  "glossary",
  "roles",
] as const satisfies (keyof DeclaredState)[];

/** Parts that have values instead of named things. */
const FLAT_PARTS = ["settings", "singleSignOn", "appRules", "appContent", "serviceAccountContent", "glossary", "roles"];

/**
 * The member that names a thing. The key in the file already does, and a different value here would create or change another
 * thing than the one that was compared.
 */
const NAMED_BY: Readonly<Record<string, string>> = {
  furtherSingleSignOns: "issuer",
  issuers: "issuer",
  apps: "name",
  serviceAccounts: "name",
  transmitters: "issuer",
  metadataGroups: "name",
};

/** Secrets would be shown with the plan, and remain wherever the file is stored. */
const SECRETS = ["clientSecret", "authorizationSecret", "secret"];

/** Reads the current state of an instance in the form of the file. */
export async function exportState(
  api: AdminApi,
): Promise<{ readonly state: DeclaredState; readonly leftOut: readonly LeftOut[] }> {
  const storedApps = await appsByName(api);
  const storedAccounts = await accountsByName(api);
  const [issuers, apps, machines] = [
    await exportIssuers(api),
    exportApps(storedApps),
    exportServiceAccounts(storedAccounts),
  ];
  const { limits, leftOut } = await exportLimits(api, storedApps, storedAccounts, issuers.named);
  const singleSignOn = await exportSingleSignOn(api);
  const furtherSingleSignOns = await exportFurtherSingleSignOns(api, singleSignOn);
  const state = {
    settings: await exportSettings(api),
    ...(singleSignOn === undefined ? {} : { singleSignOn }),
    ...(furtherSingleSignOns === undefined ? {} : { furtherSingleSignOns }),
    issuers: issuers.named,
    apps: apps.named,
    ...limits,
    serviceAccounts: machines.named,
    transmitters: await exportTransmitters(api),
    metadataGroups: await exportMetadataGroups(api),
    glossary: await exportGlossary(api),
    roles: await exportRoles(api),
  };
  return { state, leftOut: [issuers, apps, { leftOut }, machines].flatMap((part) => part.leftOut) };
}

/** @throws {UsageError} for anything but a declared state; it names the wrong part */
export function requireDeclaredState(value: unknown, file: string): DeclaredState {
  if (!isObject(value)) throw new UsageError(`${file} contains no JSON object: see what export prints`);
  for (const [part, declared] of Object.entries(value)) {
    if (!(PARTS as readonly string[]).includes(part)) {
      throw new UsageError(`${file} has the unknown part ${part}: use ${PARTS.join(", ")}`);
    }
    if (!isObject(declared)) throw new UsageError(`${part} in ${file} must be an object`);
    if (part === "singleSignOn") requireNoSecret(part, declared);
    if (FLAT_PARTS.includes(part)) continue;
    for (const [name, thing] of Object.entries(declared)) {
      const called = `${part}.${name}`;
      if (!isObject(thing)) throw new UsageError(`${called} in ${file} must be an object`);
      requireNoSecret(called, thing);
      const member = NAMED_BY[part] ?? "";
      if (thing[member] !== undefined && thing[member] !== name) {
        throw new UsageError(`${called} in ${file} has another ${member}: remove the member, its key is the ${member}`);
      }
    }
  }
  return value;
}

function requireNoSecret(called: string, declared: Json): void {
  const secret = SECRETS.find((member) => declared[member] !== undefined);
  if (secret === undefined) return;
  throw new UsageError(
    `${called}.${secret} is a secret, and the file must not contain secrets: remove it. A connection's secret is read from the environment variable that ${secret}Env names`,
  );
}

/**
 * Returns the changes that give an instance its declared state; none if it already has it.
 *
 * @throws {UsageError} for a file whose state isn't possible
 */
export async function planFor(api: AdminApi, declared: DeclaredState, secretOf: SecretOf): Promise<PlannedChange[]> {
  const { appRules, appContent, serviceAccountContent } = declared;
  const storedApps = declared.apps || appRules || appContent ? await appsByName(api) : new Map<string, Json>();
  const storedAccounts =
    declared.serviceAccounts || serviceAccountContent ? await accountsByName(api) : new Map<string, Json>();
  const apps = declared.apps ? await planApps(api, storedApps, declared.apps) : [];
  const accounts = declared.serviceAccounts
    ? await planServiceAccounts(api, storedAccounts, declared.serviceAccounts)
    : [];
  const ofApps = { ...(appRules && { appRules }), ...(appContent && { appContent }) };
  return [
    ...(declared.singleSignOn ? await planSingleSignOn(api, declared.singleSignOn, secretOf) : []),
    ...(declared.furtherSingleSignOns
      ? await planFurtherSingleSignOns(api, declared.furtherSingleSignOns, secretOf)
      : []),
    ...(declared.issuers ? await planIssuers(api, declared.issuers) : []),
    ...(declared.metadataGroups ? await planMetadataGroups(api, declared.metadataGroups) : []),
    ...(declared.glossary ? await planGlossary(api, declared.glossary) : []),
    ...apps,
    // Directly after the apps and accounts, because a new one has no limits until it gets them.
    ...(await planLimits(api, { list: "/apps", stored: storedApps }, ofApps, createdBy(apps))),
    ...accounts,
    ...(await planLimits(
      api,
      { list: "/service-accounts", stored: storedAccounts },
      serviceAccountContent ? { serviceAccountContent } : {},
      createdBy(accounts),
    )),
    ...(declared.transmitters ? await planTransmitters(api, declared.transmitters, secretOf) : []),
    ...(declared.roles ? await planRoles(api, declared.roles) : []),
    ...(declared.settings ? await planSettings(api, declared.settings) : []),
  ];
}

/** Returns the names of what a plan creates. */
function createdBy(plan: readonly PlannedChange[]): ReadonlySet<string> {
  return new Set(plan.flatMap(({ method, body }) => (method === "POST" ? [String(body?.["name"])] : [])));
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
