import { foldTerm } from "#protocol/folding.ts";
import { AdminApiRefused, type CallAdminApi } from "./admin-api-call.ts";
import { UsageError } from "./context.ts";

type Json = Readonly<Record<string, unknown>>;

/** What an instance is to be, as a file says it. What the file leaves out stays as it is, and nothing is ever deleted. */
export interface DeclaredState {
  readonly settings?: Json;
  /** `clientSecretEnv` names the environment variable that holds the secret: the file never does. */
  readonly singleSignOn?: Json;
  /** By the issuer's URL. */
  readonly issuers?: Readonly<Record<string, Json>>;
  /** Apps that administrators created, by name. */
  readonly apps?: Readonly<Record<string, Json>>;
  readonly metadataGroups?: Readonly<Record<string, Json>>;
}

/** A change that leads from what is stored to what is declared. */
export interface PlannedChange {
  /** What it changes, such as `settings.displayName: "Acme" → "Acme Corp"`, a line each. */
  readonly lines: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly body: Json;
}

interface Page {
  readonly items: readonly Json[];
  readonly nextCursor: string | null;
}

const APP_MEMBERS = ["redirectUris", "scopes", "tokenEndpointAuthMethod", "keys"];
const APP_MEMBERS_CHANGED = ["redirectUris", "scopes", "keys"];

/** An upload, and what an instance counts for itself. */
const OF_NO_FILE = new Set(["logo", "createdAt", "changedAt", "isDisabled", "issuer"]);

interface StoredState {
  readonly state: Required<Omit<DeclaredState, "singleSignOn">> & DeclaredState;
  /** The issuers and apps in it that are disabled, such as `apps.Intranet`. */
  readonly disabled: readonly string[];
  /** The client ids of its apps, by name. */
  readonly appIds: ReadonlyMap<string, string>;
}

/** What an instance is, as a file holds it; without what is disabled, which would be created enabled elsewhere. */
export async function exportState(call: CallAdminApi): Promise<Pick<StoredState, "state" | "disabled">> {
  const { state, disabled } = await readState(call);
  const enabled = (room: "issuers" | "apps") =>
    Object.fromEntries(Object.entries(state[room]).filter(([name]) => !disabled.includes(`${room}.${name}`)));
  return { state: { ...state, issuers: enabled("issuers"), apps: enabled("apps") }, disabled };
}

async function readState(call: CallAdminApi): Promise<StoredState> {
  const apps = await listAll(call, "/apps?kind=static");
  const names = apps.map(({ name }) => String(name));
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new UsageError(`Two apps are called ${repeated}: give one of them another name`);
  const singleSignOn = await call("GET", "/single-sign-on").catch((error: unknown) => {
    if (error instanceof AdminApiRefused && error.status === 404) return null;
    throw error;
  });
  const issuers = await listAll(call, "/issuers?");
  const groups = await listAll(call, "/metadata-groups?");
  const described = [];
  for (const { name } of groups) {
    const { metadataKeys } = (await call("GET", `/metadata-groups/${String(name)}`)) as Json;
    described.push([name, { metadataKeys }] as const);
  }
  const state = {
    settings: without(OF_NO_FILE, (await call("GET", "/settings")) as Json),
    ...(singleSignOn === null ? {} : { singleSignOn: singleSignOn as Json }),
    issuers: Object.fromEntries(issuers.map((each) => [each["issuer"], without(OF_NO_FILE, each)])),
    apps: Object.fromEntries(apps.map((each) => [each["name"], picked(APP_MEMBERS, each)])),
    metadataGroups: Object.fromEntries(described),
  };
  const isDisabled = (each: Json) => each["isDisabled"] === true;
  const disabled = [
    ...issuers.filter(isDisabled).map(({ issuer }) => `issuers.${String(issuer)}`),
    ...apps.filter(isDisabled).map(({ name }) => `apps.${String(name)}`),
  ];
  return { state, disabled, appIds: new Map(apps.map(({ name, id }) => [String(name), String(id)])) };
}

/**
 * What has to change for an instance to be as it is declared; nothing where it is.
 *
 * @param secretOf the value of an environment variable
 * @throws {UsageError} for a file that cannot be made true
 */
export async function planFor(
  call: CallAdminApi,
  declared: DeclaredState,
  secretOf: (variable: string) => string | undefined,
): Promise<PlannedChange[]> {
  const { state: stored, disabled, appIds } = await readState(call);
  const plan: PlannedChange[] = [];
  const add = (method: string, path: string, name: string, before: Json | undefined, after: Json, body = after) => {
    const lines = difference(name, before, after);
    if (lines.length > 0) plan.push({ lines, method, path, body });
  };
  if (declared.singleSignOn) {
    const { clientSecretEnv, ...connection } = declared.singleSignOn;
    const before = stored.singleSignOn;
    const whole = { ...before, ...connection };
    if (["issuer", "clientId"].every((name) => whole[name] === before?.[name])) {
      add("PUT", "/single-sign-on", "singleSignOn", before, connection, whole);
    } else {
      // An administrator who vouches for the emails of one SSO has not vouched for another's: no value is kept.
      const removed = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null]));
      const secret = requireSecret(clientSecretEnv, secretOf);
      add(
        "PUT",
        "/single-sign-on",
        "singleSignOn",
        before,
        { ...removed, ...connection },
        { ...connection, ...secret },
      );
    }
  }
  for (const [issuer, wanted] of Object.entries(declared.issuers ?? {})) {
    const before = stored.issuers[issuer];
    const name = `issuers.${issuer}`;
    if (before === undefined) add("POST", "/issuers", name, undefined, wanted, { ...wanted, issuer });
    else add("PATCH", `/issuers/${encodeURIComponent(issuer)}`, name, before, wanted);
  }
  const groups = new Map(Object.entries(stored.metadataGroups).map(([name, group]) => [foldTerm(name), group]));
  for (const [name, wanted] of Object.entries(declared.metadataGroups ?? {})) {
    const before = groups.get(foldTerm(name));
    if (before) requireEveryKey(name, before, wanted);
    const path = `/metadata-groups/${encodeURIComponent(name)}`;
    add(before ? "PUT" : "POST", path, `metadataGroups.${name}`, before, wanted);
  }
  for (const [name, wanted] of Object.entries(declared.apps ?? {})) {
    const [id, before] = [appIds.get(name), stored.apps[name]];
    if (id === undefined || before === undefined)
      add("POST", "/apps", `apps.${name}`, undefined, wanted, { name, ...wanted });
    else {
      const method = "tokenEndpointAuthMethod";
      if (wanted[method] !== undefined && wanted[method] !== before[method]) {
        throw new UsageError(`apps.${name}.${method} cannot change: create another app`);
      }
      const changes = picked(APP_MEMBERS_CHANGED, wanted);
      if (disabled.includes(`apps.${name}`) && difference(name, before, changes).length > 0) {
        throw new UsageError(`apps.${name} is disabled: enable it before you change it, or leave it out of the file`);
      }
      add("PATCH", `/apps/${encodeURIComponent(id)}`, `apps.${name}`, before, changes);
    }
  }
  const changed = Object.entries(declared.settings ?? {}).filter(
    ([name, value]) => !isSame(stored.settings[name], value),
  );
  add("PATCH", "/settings", "settings", stored.settings, Object.fromEntries(changed));
  return plan;
}

async function listAll(call: CallAdminApi, path: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = (await call("GET", `${path}&limit=500${cursor === "" ? "" : `&cursor=${cursor}`}`)) as Page;
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** Replacing a group's keys removes those that are left out, with their values. */
function requireEveryKey(group: string, before: Json, wanted: Json): void {
  const kept = new Set(keyNames(wanted).map(foldTerm));
  const removed = keyNames(before).filter((name) => !kept.has(foldTerm(name)));
  if (removed.length === 0) return;
  throw new UsageError(
    `metadataGroups.${group} leaves out ${removed.join(", ")}, and apply deletes nothing: add what is missing. To remove a key ` +
      `with its values, edit the group in the console, or use: npm run admin -- api <instance> PUT /metadata-groups/${group} --data <JSON>`,
  );
}

function keyNames({ metadataKeys }: Json): string[] {
  if (!Array.isArray(metadataKeys)) throw new UsageError("A group of metadata needs metadataKeys, a list");
  return metadataKeys.map((key: Json | null) => String(key?.["name"]));
}

function requireSecret(variable: unknown, secretOf: (variable: string) => string | undefined): Json {
  const secret = typeof variable === "string" ? secretOf(variable) : undefined;
  if (secret) return { clientSecret: secret };
  throw new UsageError(
    typeof variable === "string"
      ? `The environment variable ${variable} is empty: it holds the SSO's client secret`
      : "singleSignOn.clientSecretEnv names the environment variable that holds the SSO's client secret",
  );
}

/** A line for each member that is to be another; members that are not declared stay. */
function difference(name: string, before: Json | undefined, after: Json): string[] {
  if (before === undefined) return [`${name}: create ${JSON.stringify(after)}`];
  return Object.entries(after)
    .filter(([member, value]) => !isSame(before[member], value))
    .map(([member, value]) => `${name}.${member}: ${JSON.stringify(before[member])} → ${JSON.stringify(value)}`);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** The same value, its members in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

function without(names: ReadonlySet<string>, value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

function picked(names: readonly string[], value: Json): Json {
  return Object.fromEntries(names.flatMap((name) => ((value[name] ?? null) === null ? [] : [[name, value[name]]])));
}
