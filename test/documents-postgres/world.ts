import { inject } from "vitest";
import { parseRequest } from "#client-api/search/request.ts";
import { newMemory, POSTGRES_LIMITS, PostgresDocuments } from "#documents-postgres/engine.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import type { DocumentSearch, Seer } from "#documents/engine.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import type { MetadataGroup } from "#documents/metadata/metadata.ts";
import type { ModelDocument, ModelWorld } from "../support/search-model.ts";
import { DATASOURCE, KEYS, toDocument } from "../documents/world.ts";

/** One for all cases of all files, which share this module. It ends with their process. */
const database = new PostgresDatabase(inject("postgres"), 3);

/** The last instance of this run. Each case has its own, and none sees another's rows. */
let instances = Math.floor(Math.random() * 2 ** 50);

const GROUP: MetadataGroup = {
  id: 1,
  name: "review",
  display: "review",
  version: 1,
  keys: KEYS.map(({ id, name, type, skip }) => ({
    id,
    name,
    display: name,
    facetName: `review${name}`,
    propertyType: type,
    skipIndexing: skip === 1,
  })),
};

/** An instance on the second engine, as its ports show it. */
export class PostgresWorld {
  readonly instanceId = ++instances;
  readonly database = database;
  readonly engine: PostgresDocuments;
  now = 1000;

  constructor(limits: FindLimits = POSTGRES_LIMITS) {
    // Every word of such small worlds has postings, and both ways of adding to them are used.
    const posting = { documents: 1, few: 2, holders: 2000, entries: 50, list: 2000 };
    this.engine = new PostgresDocuments(database, newMemory(), () => this.now, limits, posting);
  }

  /** Makes an empty instance that this engine serves. */
  static async begin(limits?: FindLimits): Promise<PostgresWorld> {
    const world = new PostgresWorld(limits);
    await world.rows("INSERT INTO instances (instance_id, holding) VALUES ($1, 'serving')");
    return world;
  }

  static async of(model: ModelWorld, limits?: FindLimits): Promise<PostgresWorld> {
    const world = await PostgresWorld.begin(limits);
    const { engine, instanceId } = world;
    for (const name of model.described)
      await engine.changeRights(instanceId, DATASOURCE, { act: "describe group", name });
    for (const { group: groupName, kind: memberKind, member } of model.memberships) {
      const membership = { groupName, memberKind, member };
      await engine.changeRights(instanceId, DATASOURCE, { act: "add member", membership });
    }
    await world.put(model.documents.map((document, id) => [String(id), document]));
    return world;
  }

  async put(documents: readonly (readonly [externalId: string, model: ModelDocument])[]): Promise<void> {
    const puts = documents.map(([id, model]) => ({ act: "put", document: toDocument(id, model) }) as const);
    await this.engine.apply(this.instanceId, puts);
    for (const [externalId, { values }] of documents) {
      if (values === null) continue;
      const reference = { whole: externalId, datasource: DATASOURCE, externalId };
      const given = KEYS.map((key) => ({
        name: key.name,
        display: key.name,
        isList: key.type === "MULTIPICKLIST",
        values: [values[key.name] ?? []].flat(),
      }));
      await this.engine.putValues(this.instanceId, reference, GROUP, given);
    }
  }

  /** Writes the postings of all words, as the clean-up does an hour after a write. */
  async post(): Promise<void> {
    this.now += 3600;
    while (await this.engine.upkeep(this.instanceId));
  }

  /** Returns a page for a request, as the Client API parses it. */
  page(seer: Seer, body: Readonly<Record<string, unknown>>, more: Partial<DocumentSearch> = {}) {
    const { query: _query, cursor: _cursor, ...asked } = parseRequest(body);
    const preferences = { languages: USUAL_LANGUAGES, recentAt: null };
    return this.engine.find(this.instanceId, { ...asked, position: null, preferences, ...more }, seer);
  }

  /** Returns the ids of all pages. @throws if a document comes twice */
  async all(seer: Seer, body: Readonly<Record<string, unknown>>): Promise<string[]> {
    const ids: string[] = [];
    let position: string | null = null;
    do {
      const { documents, next } = await this.page(seer, body, { position });
      ids.push(...documents.map(({ externalId }) => externalId));
      position = next;
    } while (position !== null);
    if (new Set(ids).size !== ids.length) throw new Error(`found twice: ${ids.join(" ")}`);
    return ids;
  }

  /** Reads rows of the tables, for what no port shows. */
  rows<Row>(statement: string, ...values: readonly (string | number)[]): Promise<readonly Row[]> {
    return database.write(this.instanceId, (rows) => rows.all<Row>(statement, ...values));
  }
}
