import { runInDurableObject } from "cloudflare:test";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { AppClient } from "../support/app-client.ts";
import { ConsoleBrowser, originOf, setRole } from "../support/console-browser.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { removeIssuers } from "../support/test-issuer.ts";
import { DirectoryClient } from "../support/scim.ts";
import { issueAdminToken } from "../support/service-tokens.ts";
import { changeSettings, issueClientApiToken, makeInstance } from "../support/world.ts";

/** An instance with something of every kind, and those who may do everything there. */
export interface Side {
  readonly instance: InstanceRecord;
  readonly origin: string;
  /** A public app that registered. */
  readonly app: AppClient;
  /** An app that registered and has a secret. */
  readonly confidential: AppClient;
  readonly grants: DirectGrants;
  administrator: ConsoleBrowser;
  readonly documents: Pipeline;
  readonly metadata: MetadataPipeline;
  /** A Client API token of Ben's. */
  readonly reader: string;
  /** A token of the Admin API, for everything. */
  readonly admin: string;
  readonly directory: DirectoryClient;
}

/** Both sides have the same people, the same datasource and the same group of metadata; only ids and secrets differ. */
export async function makeSide(name: string): Promise<Side> {
  const instance = await makeInstance(name);
  const origin = originOf(instance);
  await setRole(instance);
  const metadata = await MetadataPipeline.of(instance);
  await describeShared(metadata);
  const documents = await Pipeline.of(instance, "documents:global_scope", origin);
  await documents.index(draft("both", { title: "In both" }), draft("both2", { title: "In both, too" }));
  return {
    instance,
    origin,
    app: await AppClient.registered({}, origin),
    confidential: await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" }, origin),
    grants: new DirectGrants(instance),
    administrator: await ConsoleBrowser.signIn("ada", origin),
    documents,
    metadata,
    reader: await issueClientApiToken(instance, "ben@acme.example", "SEARCH", "CHAT", "DOCUMENTS"),
    admin: await issueAdminToken(instance),
    directory: await DirectoryClient.of(instance, "okta", origin),
  };
}

/** Tables without a column `instance_id`, and which of their rows are an instance's; those of nobody have no condition. */
export const WITHOUT_INSTANCE_ID: Readonly<Record<string, string | null>> = {
  instances: "id = ?1",
  service_token_secrets: "token_id IN (SELECT id FROM service_tokens WHERE instance_id = ?1)",
  master_keys: null,
  maintenance_runs: null,
  schema_versions: null,
};

/** Counts that are written some time after what they count. */
const LATE = "usage_counts";

let tables: ReturnType<typeof readTables> | undefined;

/** The tables of the database, and whether each has a column `instance_id`. No request changes these. */
export function tablesOfDatabase(): ReturnType<typeof readTables> {
  tables ??= readTables();
  return tables;
}

async function readTables(): Promise<{ name: string; isByInstance: boolean }[]> {
  const statement = `SELECT t.name, EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'instance_id') AS own
    FROM sqlite_master AS t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '\\_%' ESCAPE '\\'`;
  const { results } = await env.DB.prepare(statement).all<{ name: string; own: number }>();
  return results.map(({ name, own }) => ({ name, isByInstance: own === 1 }));
}

/** Everything that an instance has: its rows in the database and in its own object. */
export async function dumpOf({ id }: InstanceRecord): Promise<Record<string, string[]>> {
  const own = (await tablesOfDatabase()).flatMap(({ name, isByInstance }) => {
    const condition = isByInstance ? "instance_id = ?1" : WITHOUT_INSTANCE_ID[name];
    return condition === null || condition === undefined || name === LATE ? [] : [{ name, condition }];
  });
  const answers = await env.DB.batch<Record<string, unknown>>(
    own.map(({ name, condition }) => env.DB.prepare(`SELECT * FROM ${name} WHERE ${condition}`).bind(id)),
  );
  const dump: Record<string, string[]> = {};
  own.forEach(({ name }, at) => (dump[name] = rowsAsText(answers[at]?.results ?? [])));
  const object = env.DOCUMENTS.getByName(String(id));
  const documents = await runInDurableObject(object, (_object, { storage }) => {
    const statement =
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '\\_%' ESCAPE '\\'";
    const names = storage.sql.exec<{ name: string }>(statement).toArray();
    return names.map(
      ({ name }) => [`documents/${name}`, rowsAsText(storage.sql.exec(`SELECT * FROM ${name}`).toArray())] as const,
    );
  });
  return { ...dump, ...Object.fromEntries(documents) };
}

function rowsAsText(rows: readonly object[]): string[] {
  const text = (value: unknown) => (value instanceof ArrayBuffer ? [...new Uint8Array(value)].join(" ") : value);
  return rows.map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, text(value)]))).sort();
}

function describeShared(metadata: MetadataPipeline): Promise<void> {
  return metadata.describe("shared", [{ name: "stage", propertyType: "TEXT" }]);
}

/** Undoes what an instance's own requests did to those who send the next ones. */
export async function restore(side: Side): Promise<void> {
  const { policySnapshots, sessions } = servicesOf(env);
  const policy = await policySnapshots.of(side.instance.name, () => undefined);
  if (!policy?.settings.oauthEnabled || !policy.settings.externalTokensEnabled) {
    await changeSettings(side.instance.name, { oauthEnabled: true, externalTokensEnabled: true });
  }
  if (policy?.externalIssuers.size !== 0) await removeIssuers(side.instance);
  if ((await side.metadata.schema("GET", "shared")).status !== 200) await describeShared(side.metadata);
  const [, secret = ""] = side.administrator.session?.split("=") ?? [];
  const session = policy && (await sessions.find({ issuer: side.origin, policy }, secret));
  if (session?.person.role === "owner") return;
  await setRole(side.instance);
  side.administrator = await ConsoleBrowser.signedIn(side.instance);
}
