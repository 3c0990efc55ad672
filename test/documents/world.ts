import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { parseRequest } from "#client-api/search/request.ts";
import type { DocumentSearch, FilterTerm, IndexableDocument, Principal, Seer } from "#documents/engine.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { Finder } from "#documents/find/find.ts";
import { keyInUse } from "#documents/index-rules.ts";
import { indexable, wordsIn } from "#documents/words.ts";
import { mapCommonWords } from "#documents/upkeep/common-words.ts";
import { describeDocument, forgetRights, putDocument } from "#documents/write/documents.ts";
import { foldTerm } from "#protocol/folding.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import type { ModelDocument, ModelWorld } from "../support/search-model.ts";
import { emailOf, type Name, PEOPLE } from "../support/search-worlds.ts";
import { runs } from "../support/properties.ts";
import { aDocument, DATASOURCE } from "./document.ts";

export { aDocument, DATASOURCE };

/** The number of random worlds in which a property is tried. */
export const WORLDS = runs(3);

/** So small that a search takes every step that it would take in a large index. */
export const TINY_LIMITS: FindLimits = {
  ...FIND_LIMITS,
  narrow: 1,
  entries: 12,
  entriesByWord: 0,
  weighed: 5,
  weighedTogether: 3,
  sample: 3,
  glances: 4,
  together: 4,
  togetherEntries: 9,
  unmappedEntries: 9,
  promised: 7,
};

/** The keys of custom metadata for which a world's documents have values. */
const KEYS = [
  { id: 1, name: "status", type: "PICKLIST", skip: 0 },
  { id: 2, name: "labels", type: "MULTIPICKLIST", skip: 0 },
  { id: 3, name: "note", type: "TEXT", skip: 0 },
  { id: 4, name: "hidden", type: "TEXT", skip: 1 },
] as const;

export function seerOf(name: Name): Seer {
  return { email: emailOf(name), directoryGroups: PEOPLE[name] };
}

const day = (at: number) => Date.parse(`2024-01-${String(at + 1).padStart(2, "0")}T12:00:00Z`) / 1000;

/** A model's documents, groups and memberships, written as pipelines would write them. */
export class World {
  readonly store: SqliteStore;
  readonly finder: Finder;

  constructor(limits: FindLimits = FIND_LIMITS, store = new SqliteStore()) {
    this.store = store;
    this.finder = new Finder(this.store, limits);
    this.store.exec("INSERT INTO metadata_groups (id, name, display_name, version) VALUES (1, 'review', 'review', 1)");
    for (const { id, name, type, skip } of KEYS) {
      this.store.exec(
        `INSERT INTO metadata_keys (id, group_id, name, display_name, facet_name, property_type, skip_indexing, position)
         VALUES (?1, 1, ?2, ?2, 'review' || ?2, ?3, ?4, ?1)`,
        id,
        name,
        type,
        skip,
      );
    }
  }

  static of(model: ModelWorld, limits?: FindLimits): World {
    const world = new World(limits);
    world.store.transaction(() => {
      world.describe(model);
      for (const [id, document] of model.documents.entries()) world.put(String(id), document);
    });
    return world;
  }

  /** Writes a model's groups and memberships. */
  describe({ described, memberships }: Pick<ModelWorld, "described" | "memberships">): void {
    for (const name of described) {
      this.store.exec("INSERT INTO datasource_groups (datasource, name) VALUES (?1, ?2)", DATASOURCE, name);
    }
    for (const { group, kind, member } of memberships) {
      this.store.exec(
        "INSERT OR IGNORE INTO memberships (datasource, member_kind, member, group_name) VALUES (?1, ?2, ?3, ?4)",
        DATASOURCE,
        kind,
        member,
        group,
      );
    }
    // As a datasource with groups has it.
    this.store.exec(
      "INSERT INTO datasources (name, groups, memberships) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
      DATASOURCE,
      described.length,
      memberships.length,
    );
    forgetRights(this.store);
  }

  /** Does what the alarm does if there are many documents. */
  mapCommonWords(): this {
    while (!mapCommonWords(this.store, 1));
    return this;
  }

  put(externalId: string, model: ModelDocument): void {
    const row = putDocument(this.store, toDocument(externalId, model), 1, 0);
    const values =
      model.values === null ? [] : KEYS.map((key) => ({ key, list: [model.values?.[key.name] ?? []].flat() }));
    const words = values.filter(({ key }) => key.skip === 0).flatMap(({ list }) => list.map(indexable));
    const terms = values.flatMap(({ key, list }): FilterTerm[] => [
      ...(list.length === 0 ? [] : [keyInUse(key.id)]),
      ...(key.type === "TEXT"
        ? list.flatMap(wordsIn).map((word): FilterTerm => [`w${key.id}`, word])
        : list.map((value): FilterTerm => [`k${key.id}`, foldTerm(value)])),
    ]);
    describeDocument(this.store, row, { words: words.join("\n"), terms });
    this.store.exec(
      "INSERT OR REPLACE INTO document_metadata (document_id, group_id, entries, version) VALUES (?1, 1, ?2, 1)",
      row,
      JSON.stringify(
        Object.fromEntries(values.filter(({ list }) => list.length > 0).map(({ key, list }) => [key.id, list])),
      ),
    );
  }

  /** Returns a page for a request, as the Client API parses it. */
  page(
    seer: Seer,
    body: Readonly<Record<string, unknown>>,
    more: Partial<DocumentSearch> = {},
    finder: Pick<Finder, "find"> = this.finder,
  ) {
    return finder.find(searchOf(body, more), seer);
  }

  /** Returns the ids of all pages. @throws if a document comes twice */
  all(seer: Seer, body: Readonly<Record<string, unknown>>): string[] {
    const ids: string[] = [];
    let position: string | null = null;
    do {
      const { documents, next } = this.page(seer, body, { position });
      ids.push(...documents.map(({ externalId }) => externalId));
      position = next;
    } while (position !== null);
    if (new Set(ids).size !== ids.length) throw new Error(`found twice: ${ids.join(" ")}`);
    return ids;
  }
}

/** Returns the search of a request, as the Client API parses it. */
export function searchOf(body: Readonly<Record<string, unknown>>, more: Partial<DocumentSearch> = {}): DocumentSearch {
  const { query: _query, cursor: _cursor, ...asked } = parseRequest(body);
  return { ...asked, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null }, ...more };
}

function toDocument(externalId: string, model: ModelDocument): IndexableDocument {
  return aDocument(externalId, {
    title: indexable(model.title.join(" ")),
    body: indexable(model.body.join(", ")),
    objectType: model.type,
    keywords: indexable(`\n${model.tag ?? ""}`),
    tags: model.tag === null ? [] : [model.tag],
    authorName: model.author?.name ?? null,
    authorEmail: model.author?.email ?? null,
    updatedAt: model.updatedDay === null ? null : day(model.updatedDay),
    principals: principalsOf(model),
  });
}

function principalsOf({ everyone, users, groups, intersections }: ModelDocument): Principal[] {
  return [
    ...(everyone ? [{ kind: "everyone", datasource: "", name: "" } as const] : []),
    ...users.map((name) => ({ kind: "person", datasource: "", name }) as const),
    ...groups.map((name) => ({ kind: "group", datasource: DATASOURCE, name }) as const),
    ...intersections.map(
      (all) => ({ kind: "intersection", datasource: DATASOURCE, name: JSON.stringify([...all].sort()) }) as const,
    ),
  ];
}
