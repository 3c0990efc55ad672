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

/** An instance with data of every kind, and credentials that may do everything there. */
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
  /** Ben's Client API token. */
  readonly reader: string;
  /** An Admin API token with every scope. */
  readonly admin: string;
  readonly directory: DirectoryClient;
}

/** Makes a side. All sides have the same people, datasource and metadata group: only ids and secrets differ. */
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

/** Tables without a column `instance_id`, with the condition for an instance's rows, or `null` if no row belongs to one. */
export const WITHOUT_INSTANCE_ID: Readonly<Record<string, string | null>> = {
  instances: "id = ?1",
  service_token_secrets: "token_id IN (SELECT id FROM service_tokens WHERE instance_id = ?1)",
  service_token_origins: "origin IN (SELECT id FROM service_tokens WHERE instance_id = ?1)",
  master_keys: null,
  maintenance_runs: null,
  schema_versions: null,
};

/** Table of counts that are written some time after the events that they count. */
const LATE = "usage_counts";

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

interface TableRow extends Record<string, string> {
  readonly name: string;
  readonly columns: string;
}

/** The tables of an instance's Durable Object. No request changes which tables there are. */
let ofObject: Table[] | undefined;

let ofDatabase: ReturnType<typeof readTables> | undefined;

/** Returns the database's tables, and whether each has a column `instance_id`. No request changes this. */
export function tablesOfDatabase(): ReturnType<typeof readTables> {
  ofDatabase ??= readTables();
  return ofDatabase;
}

async function readTables(): Promise<(Table & { isByInstance: boolean })[]> {
  const { results } = await env.DB.prepare(tables("name NOT LIKE 'sqlite_%'")).all<TableRow>();
  return results.map(tableOf).map((table) => ({ ...table, isByInstance: table.columns.includes("instance_id") }));
}

/** Returns a statement that reads tables and their columns. */
function tables(condition: string): string {
  return `SELECT t.name, (SELECT json_group_array(name) FROM pragma_table_info(t.name)) AS columns
    FROM sqlite_master AS t WHERE t.type = 'table' AND t.name NOT LIKE '\\_%' ESCAPE '\\' AND t.${condition}`;
}

function tableOf({ name, columns }: TableRow): Table {
  return { name, columns: JSON.parse(columns) as string[] };
}

/** Returns all rows of an instance in the database and its Durable Object, as one text per table. */
export async function dumpOf({ id }: InstanceRecord): Promise<Record<string, string>> {
  const own = (await tablesOfDatabase()).flatMap(({ name, columns, isByInstance }) => {
    const condition = isByInstance ? "instance_id = ?1" : WITHOUT_INSTANCE_ID[name];
    return condition === null || condition === undefined || name === LATE ? [] : [{ name, columns, condition }];
  });
  const answers = await env.DB.batch<{ rows: string }>(
    own.map((table) => env.DB.prepare(rowsAsText(table, table.condition)).bind(id)),
  );
  const object = env.DOCUMENTS.getByName(String(id));
  const documents = await runInDurableObject(object, (_object, { storage: { sql } }) => {
    ofObject ??= sql.exec<TableRow>(tables("sql NOT LIKE '%VIRTUAL%'")).toArray().map(tableOf);
    return ofObject.map((table) => [`documents/${table.name}`, sql.exec(rowsAsText(table)).one()["rows"]] as const);
  });
  return Object.fromEntries([...own.map(({ name }, at) => [name, answers[at]?.results[0]?.rows]), ...documents]);
}

/** Returns a statement that reads all rows as one text, which is far cheaper than reading each row and blob. */
function rowsAsText({ name, columns }: Table, condition = "1"): string {
  const row = columns.map((column) => `quote("${column}")`).join(" || ' ' || ");
  return `SELECT group_concat(row, char(10)) AS rows FROM (SELECT ${row} AS row FROM ${name} WHERE ${condition} ORDER BY 1)`;
}

function describeShared(metadata: MetadataPipeline): Promise<void> {
  return metadata.describe("shared", [{ name: "stage", propertyType: "TEXT" }]);
}

/** Undoes what requests did to the instance and the credentials that the next requests need. */
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
