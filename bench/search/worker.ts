import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { parseRequest } from "#client-api/search/request.ts";
import { applyChanges } from "#documents/apply.ts";
import { InstanceDocuments } from "#documents/documents-object.ts";
import type { ObjectCalls } from "#documents/documents.ts";
import type { DocumentChange, FoundPage, IndexableDocument } from "#documents/engine.ts";
import { Engines, Placements } from "#documents/moving/engines.ts";
import { remoteDocuments } from "#documents/remote-documents.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { partsOf, workOfItem } from "#documents/steps.ts";
import type { Store } from "#documents/store.ts";
import type { PagePart, UploadItem, UploadTarget } from "#documents/uploads/uploads.ts";
import { STEP_WORK } from "#documents/work.ts";
import { DurableObject, env } from "cloudflare:workers";
import { aclOf, DATASOURCES, directoryGroupsOf, documentOf, PERSONS, projectGroupsOf } from "./corpus.ts";
import type { BenchRequest } from "./requests.ts";

const INSTANCE = 1;

/** The documents object, with a call that does nothing, to measure the floor. */
class BenchDocuments extends InstanceDocuments {
  async floor(): Promise<unknown> {
    return this.ctx.storage.sql.exec("SELECT 1").toArray();
  }

  /** Ends, as when the platform puts it to sleep: the next call finds a new object that has to read everything. */
  async sleep(): Promise<void> {
    this.ctx.abort();
  }

  get #own(): Store {
    return {
      exec: <Row>(sql: string, ...values: unknown[]) => this.ctx.storage.sql.exec(sql, ...values).toArray() as Row[],
    };
  }

  /** Writes documents in one step. Every tenth is removed first, so that it gets another id. */
  async edit(documents: readonly IndexableDocument[]): Promise<void> {
    const changes = documents.flatMap((document, at): DocumentChange[] => {
      const { datasource, externalId } = document;
      return [...(at % 10 === 0 ? [{ act: "remove", datasource, externalId } as const] : []), { act: "put", document }];
    });
    this.ctx.storage.transactionSync(() => applyChanges(this.#own, changes, 0));
    await this.alarm();
  }

  /** Puts everybody into their groups. */
  async writeRights(): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      for (const person of PERSONS) {
        for (const [datasource, name] of DATASOURCES.flatMap((one) =>
          projectGroupsOf(person).map((group) => [one, group] as const),
        )) {
          changeRights(this.#own, datasource, { act: "describe", described: { kind: "groups", name } });
          const membership = { groupName: name, memberKind: "user", member: person.email } as const;
          changeRights(this.#own, datasource, { act: "describe", described: { kind: "memberships", membership } });
        }
      }
    });
  }
}

// The name that wrangler.toml uses.
export { BenchDocuments as DocumentsObject };

/** The obvious form: one index, permissions in the expression, ranked by the index. */
export class NaiveDocuments extends DurableObject {
  constructor(context: DurableObjectState, bindings: Cloudflare.Env) {
    super(context, bindings);
    context.storage.sql.exec("CREATE VIRTUAL TABLE IF NOT EXISTS naive USING fts5(title, body, acl, content = '')");
  }

  async find(expression: string): Promise<unknown> {
    return this.ctx.storage.sql
      .exec("SELECT rowid FROM naive WHERE naive MATCH ? ORDER BY bm25(naive, 10, 1, 0) LIMIT 10", expression)
      .toArray();
  }
}

const placements = new Placements({ placementOf: async () => ({ engine: "object", turn: 0 }) });
const remote = remoteDocuments(placements, new Engines(env.DOCUMENTS));
const object = () =>
  env.DOCUMENTS.getByName(String(INSTANCE)) as unknown as ObjectCalls &
    Pick<BenchDocuments, "floor" | "sleep" | "writeRights" | "edit">;
const naive = () =>
  (env as unknown as { NAIVE: DurableObjectNamespace }).NAIVE.getByName("1") as unknown as Pick<NaiveDocuments, "find">;

const acls = new Map(
  PERSONS.map((person) => [
    person.name,
    DATASOURCES.flatMap((datasource) =>
      [...directoryGroupsOf(person), ...projectGroupsOf(person)].map((name) => aclOf({ datasource, name })),
    ).join(" OR "),
  ]),
);

/** The parts of the page that is currently written. */
let parts: readonly PagePart[] = [];

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json((await act(await request.json<BenchRequest>())) ?? null);
  },
};

async function act(request: BenchRequest): Promise<unknown> {
  switch (request.act) {
    case "floor":
      return object().floor();
    case "sleep":
      return object()
        .sleep()
        .catch(() => undefined);
    case "find": {
      const person = PERSONS.find(({ name }) => name === request.person);
      if (!person) throw new Error(`nobody is called ${request.person}`);
      const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: request.query });
      const search = { ...asked, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null } };
      return remote.find(request.instance ?? INSTANCE, search, {
        email: person.email,
        directoryGroups: directoryGroupsOf(person),
      }) satisfies Promise<FoundPage>;
    }
    case "find naively": {
      const words = request.query.match(/[a-z]+/g)?.join(" AND ") ?? "";
      return naive().find(
        `{title body} : (${request.isPhrase ? request.query : words}) AND acl : (${acls.get(request.person)})`,
      );
    }
    case "prepare": {
      const documents = Array.from({ length: request.until - request.from }, (_, at) => documentOf(request.from + at));
      parts = [...Map.groupBy(documents, ({ datasource }) => datasource)].flatMap(([datasource, of]) =>
        partsOfUpload(
          "documents",
          datasource,
          of.map((document) => ({ kind: "documents", document })),
          request,
        ),
      );
      return parts.length;
    }
    case "take part": {
      const [part, ...rest] = parts;
      parts = rest;
      if (!part) throw new Error("every part is written");
      const taken = await object().takePart(part);
      if ("refused" in taken) throw new Error(taken.description);
      return part.items.length;
    }
    case "edit": {
      const { from, until, of, isShort } = request;
      const documents = Array.from({ length: until - from }, (_, at) => {
        const document = documentOf(from + at);
        return { ...document, externalId: String((from + at) % of), ...(isShort && { title: "edited", body: "" }) };
      });
      return object().edit(documents);
    }
    case "write rights":
      return object().writeRights();
    case "stats":
    default:
      return object().stats();
  }
}

function partsOfUpload(
  kind: UploadTarget["kind"],
  datasource: string,
  items: readonly UploadItem[],
  { from, isFirst }: { readonly from: number; readonly isFirst: boolean },
) {
  const page = {
    kind,
    datasource,
    groupName: "",
    uploadId: "bench",
    isFirst,
    isLast: false,
    isFirstPart: true,
    isLastPart: true,
    forceRestart: isFirst,
    isUnchecked: true,
    hash: `${datasource} ${from}`,
    items,
  };
  return [...partsOf(page, workOfItem, STEP_WORK)];
}
