import type { AdminApi } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { exportApps, planApps } from "./apps.ts";
import type { Json, Named, PlannedChange } from "./difference.ts";
import { exportIssuers, planIssuers } from "./issuers.ts";
import { exportMetadataGroups, planMetadataGroups } from "./metadata-groups.ts";
import { exportRoles, planRoles } from "./roles.ts";
import { exportSettings, planSettings } from "./settings.ts";
import { exportSingleSignOn, planSingleSignOn, type SecretOf } from "./single-sign-on.ts";

/** The state of an instance that a file asks for. What the file leaves out stays as it is, and nothing is ever deleted. */
export interface DeclaredState {
  readonly settings?: Json;
  readonly singleSignOn?: Json;
  /** By the issuer's URL. */
  readonly issuers?: Named;
  /** Apps that administrators created, by name. */
  readonly apps?: Named;
  readonly metadataGroups?: Named;
  /** The role of a person, by email. */
  readonly roles?: Json;
}

const PARTS = ["settings", "singleSignOn", "issuers", "apps", "metadataGroups", "roles"];

/** Parts that hold values, and no things by name. */
const FLAT_PARTS = ["settings", "singleSignOn", "roles"];

/** Reads the current state of an instance, in the form of the file. */
export async function exportState(
  api: AdminApi,
): Promise<{ readonly state: DeclaredState; readonly disabled: readonly string[] }> {
  const [issuers, apps] = [await exportIssuers(api), await exportApps(api)];
  const singleSignOn = await exportSingleSignOn(api);
  const state = {
    settings: await exportSettings(api),
    ...(singleSignOn === undefined ? {} : { singleSignOn }),
    issuers: issuers.named,
    apps: apps.named,
    metadataGroups: await exportMetadataGroups(api),
    roles: await exportRoles(api),
  };
  return { state, disabled: [...issuers.disabled, ...apps.disabled] };
}

/** @throws {UsageError} for anything but a declared state, naming the wrong part */
export function requireDeclaredState(value: unknown, file: string): DeclaredState {
  if (!isObject(value)) throw new UsageError(`${file} holds no object: see what export prints`);
  for (const [part, declared] of Object.entries(value)) {
    if (!PARTS.includes(part)) {
      throw new UsageError(`${file} has a part ${part}, and there are only ${PARTS.join(", ")}`);
    }
    if (!isObject(declared)) throw new UsageError(`${part} in ${file} must be an object`);
    if (FLAT_PARTS.includes(part)) continue;
    const wrong = Object.entries(declared).find(([, each]) => !isObject(each));
    if (wrong) throw new UsageError(`${part}.${wrong[0]} in ${file} must be an object`);
  }
  return value;
}

/**
 * The changes that give an instance its declared state; empty if it already has it.
 *
 * @throws {UsageError} for a file that cannot be made true
 */
export async function planFor(api: AdminApi, declared: DeclaredState, secretOf: SecretOf): Promise<PlannedChange[]> {
  return [
    ...(declared.singleSignOn ? await planSingleSignOn(api, declared.singleSignOn, secretOf) : []),
    ...(declared.issuers ? await planIssuers(api, declared.issuers) : []),
    ...(declared.metadataGroups ? await planMetadataGroups(api, declared.metadataGroups) : []),
    ...(declared.apps ? await planApps(api, declared.apps) : []),
    ...(declared.roles ? await planRoles(api, declared.roles) : []),
    ...(declared.settings ? await planSettings(api, declared.settings) : []),
  ];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
