import { type ContentConditionDraft, PERSONAL_TOKENS, requireContent } from "#app-access/app-content.ts";
import {
  type AppLimits,
  type AppRule,
  EVERYBODY,
  issuersApp,
  requireRules,
  SELF_REGISTERED,
} from "#app-access/app-rules.ts";
import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { accepted, difference, type Json, type Named, type PlannedChange } from "./difference.ts";
import type { LeftOut } from "./exported.ts";

/** What the file says about the limits of apps and service accounts: lists by name. */
export interface DeclaredLimits {
  /** Who may use an app, by the app's name or `<issuer>|<client id>`, or of all that registered themselves (`self-registered`). */
  readonly appRules?: Json;
  /** What an app may search, by the same names. */
  readonly appContent?: Json;
  /** What a service account may search, by its name, or all tokens of persons (`personal-tokens`). */
  readonly serviceAccountContent?: Json;
}

/** Each part of the file: where it is changed, what an empty list means, and how a list is read. */
const PARTS = {
  appRules: {
    member: "rules",
    path: (id: string) => `/app-rules/${id}`,
    opened: "everybody may use the app",
    example: { group: EVERYBODY, scopes: ["SEARCH"] },
    isItem: (item: Json) => typeof item["group"] === "string" && Array.isArray(item["scopes"]),
    read: (items: readonly unknown[]): unknown => requireRules(items as readonly AppRule[]),
  },
  appContent: {
    ...contentAt((id) => `/app-rules/${id}/content`),
    opened: "the app may search everything that its person may see",
  },
  serviceAccountContent: {
    ...contentAt((id) => `/service-accounts/${id}/content`),
    opened: "it may search everything that it may see",
  },
} as const;

function contentAt(path: (id: string) => string) {
  return {
    member: "content",
    path,
    example: { field: "datasource", values: ["wiki"] },
    isItem: ({ field, values }: Json) =>
      typeof field === "string" && Array.isArray(values) && values.every((value) => typeof value === "string"),
    read: (items: readonly unknown[]): unknown => requireContent(items as readonly ContentConditionDraft[]),
  } as const;
}

/** Things that have an id at each instance and a name in the file. */
export interface ById {
  /** Their list in the Admin API. */
  readonly list: string;
  /** What is stored, by name. */
  readonly stored: ReadonlyMap<string, Json>;
}

/**
 * Exports the limits of everything that the file has. Apps that registered themselves are left out: each instance gives them a
 * different id, or doesn't have them yet.
 *
 * @param issuers the identity providers that the file has
 */
export async function exportLimits(
  api: AdminApi,
  apps: ReadonlyMap<string, Json>,
  accounts: ReadonlyMap<string, Json>,
  issuers: Named,
): Promise<{ readonly limits: Required<DeclaredLimits>; readonly leftOut: readonly LeftOut[] }> {
  const ofIssuers = Object.entries(issuers).flatMap(([issuer, { clientIds }]) =>
    (clientIds as readonly string[]).map((id) => issuersApp(issuer, id)),
  );
  const appNames = new Map([...ofIssuers, SELF_REGISTERED].map((name) => [name, name]));
  const accountNames = new Map([[PERSONAL_TOKENS, PERSONAL_TOKENS]]);
  for (const [things, names] of [
    [apps, appNames],
    [accounts, accountNames],
  ] as const) {
    for (const [name, { id, isDisabled }] of things) if (isDisabled !== true) names.set(String(id), name);
  }
  const limits = {
    appRules: new Map<string, AppLimits["rules"]>(),
    appContent: new Map<string, AppLimits["content"]>(),
    serviceAccountContent: new Map<string, AppLimits["content"]>(),
  };
  const leftOut: LeftOut[] = [];
  for await (const { app, rules, content } of api.items<AppLimits & { readonly app: string }>("/app-rules")) {
    const name = appNames.get(app) ?? accountNames.get(app);
    const contentPart = appNames.has(app) ? "appContent" : "serviceAccountContent";
    if (name === undefined) leftOut.push({ name: `appRules.${app}`, reason: "the file does not create this app" });
    if (name !== undefined && rules.length > 0) limits.appRules.set(name, rules);
    if (name !== undefined && content.length > 0) limits[contentPart].set(name, content);
  }
  return {
    limits: {
      appRules: Object.fromEntries(limits.appRules),
      appContent: Object.fromEntries(limits.appContent),
      serviceAccountContent: Object.fromEntries(limits.serviceAccountContent),
    },
    leftOut,
  };
}

/**
 * Plans the changes of some parts. Of each app, they follow each other.
 *
 * @param declared lists by the name or id of the app or account; an empty list removes the limit
 * @param created the names of things that the plan creates
 * @throws {UsageError} for anything that is no such list
 */
export async function planLimits(
  api: AdminApi,
  { list, stored }: ById,
  declared: DeclaredLimits,
  created: ReadonlySet<string>,
): Promise<PlannedChange[]> {
  const plan: PlannedChange[] = [];
  const names = new Set(Object.values(declared).flatMap((part) => Object.keys(part as Json)));
  for (const name of names) {
    let isFirst = true;
    for (const part of Object.keys(PARTS) as (keyof typeof PARTS)[]) {
      const { member, path, opened, example, isItem, read } = PARTS[part];
      if (!Object.hasOwn(declared[part] ?? {}, name)) continue;
      const called = `${part}.${name}`;
      const given = declared[part]?.[name];
      if (!Array.isArray(given) || !given.every((item) => typeof item === "object" && item !== null && isItem(item))) {
        throw new UsageError(`${called} must be a list, such as ${JSON.stringify([example])}`);
      }
      const wanted = accepted(called, () => read(given));
      const isNew = created.has(name);
      const known = stored.get(name);
      const id = at`${known ? String(known["id"]) : name}`;
      const { body, version } = isNew ? { body: undefined, version: null } : await api.find(`/app-rules/${id}`);
      const before = (body as AppLimits | undefined)?.[member] ?? [];
      const lines = difference(part, { [name]: before }, { [name]: wanted });
      if (lines.length === 0) continue;
      plan.push({
        lines: [...lines, ...(given.length === 0 ? [`${called}: ${opened}`] : [])],
        method: "PUT",
        ...(isNew ? { path: path("{id}"), idOf: `${list}/${name}` } : { path: path(id) }),
        body: { [member]: wanted },
        // The change before was of the same app, and has checked the version of both.
        version: isFirst ? version : undefined,
      });
      isFirst = false;
    }
  }
  return plan;
}
