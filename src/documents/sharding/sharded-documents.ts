import type { ObjectCalls } from "#documents/documents.ts";
import type {
  ChangeOutcome,
  DocumentChange,
  DocumentName,
  DocumentSearch,
  FoundPage,
  NamedDocument,
  Seer,
  WantedParts,
} from "#documents/engine.ts";
import type { AccessExplanation } from "#documents/find/access/access.ts";
import { groupNamesOf } from "#documents/find/access/explain.ts";
import { listedPage } from "#documents/inspection/inspect.ts";
import { LANGUAGES } from "#documents/languages.ts";
import type { ListPlace } from "#documents/inspection/inspection.ts";
import type { GroupValues, MetadataGroup, ValuesOfDocument, ValuesOutcome } from "#documents/metadata/metadata.ts";
import type { RightsChange } from "#documents/rights/rights.ts";
import type { DocumentStats, ExportLine, ExportPage, ImportPage } from "#documents/upkeep/keeping.ts";
import type {
  HeldUpload,
  PagePart,
  PartProgress,
  Removal,
  RemovalDecision,
  RemovedDocuments,
  RemovedFate,
  SelectedUploads,
  UploadItem,
  UploadProgress,
  UploadStatus,
  UploadTarget,
} from "#documents/uploads/uploads.ts";
import { EXAMPLES, isMassRemoval } from "#documents/uploads/stale.ts";
import { utf8Length } from "#protocol/utf8-length.ts";
import { compareUtf8 } from "./compare-utf8.ts";
import { continuedFrom, decide, isAgainst, isDone, keysIn, merge, totalOf } from "./merge.ts";
import type { KnownRights } from "./person-rights.ts";
import type { ShardObject } from "./shard.ts";
import type { Shards } from "./shards.ts";
import type { ShardPage, SharedDecisions } from "./shard-page.ts";
import { statisticsOf } from "./word-statistics.ts";
import type { Refused } from "#documents/refused.ts";

/**
 * One instance's documents in several objects, which answer as one. Each document is in the shard that its id selects. Users, groups,
 * memberships and their uploads are in the first shard, metadata schemas in all.
 *
 * A write is atomic in its shard. If a shard fails, the whole call fails, and repeating it is safe.
 */
export class ShardedDocuments implements ObjectCalls {
  readonly #shards: Shards;
  readonly #rights: KnownRights;
  readonly #instanceId: number;

  /** @param rights what is remembered about people of all instances */
  constructor(shards: Shards, rights: KnownRights, instanceId: number) {
    this.#shards = shards;
    this.#rights = rights;
    this.#instanceId = instanceId;
  }

  /** Applies all changes that come before the first one for which a shard had no time. */
  async apply(changes: readonly DocumentChange[]): Promise<ChangeOutcome[]> {
    return this.#byShard(changes, idOf, (object, own) => object.apply(own));
  }

  /** Gives each shard the items that are its own. @returns the outcomes before the first item for which a shard had no time */
  async #byShard<Item, Outcome>(
    items: readonly Item[],
    idOfItem: (item: Item) => string,
    act: (object: ShardObject, own: readonly Item[]) => Promise<readonly Outcome[]>,
  ): Promise<Outcome[]> {
    const places = items.map((item) => this.#shards.placeOf(idOfItem(item)));
    const answers = await this.#shards.each(async (object, shard) => {
      const own = items.filter((_, at) => places[at] === shard);
      return own.length === 0 ? [] : act(object, own);
    });
    const next = answers.map((outcomes) => outcomes.values());
    const outcomes = places.map((place) => next[place]?.next().value);
    const gap = outcomes.indexOf(undefined);
    return outcomes.slice(0, gap === -1 ? undefined : gap) as Outcome[];
  }

  async find(search: DocumentSearch, seer: Seer): Promise<FoundPage> {
    const continued = continuedFrom(search.position, this.#shards.count);
    const from = continued?.from ?? Array.from({ length: this.#shards.count }, () => null);
    return this.#seenBy(seer, async (known) => {
      const ask = (object: ShardObject, shard: number, shared: SharedDecisions | null) =>
        object.findInShard({ ...search, position: from[shard] ?? null }, known, shared);
      const askAgain = (
        pages: readonly (ShardPage | null)[],
        isWrong: (page: ShardPage) => boolean,
        shared: SharedDecisions,
      ) =>
        Promise.all(
          pages.map(async (page, shard) => (page && isWrong(page) ? ask(this.#shards.at(shard), shard, shared) : page)),
        );
      const first = await this.#shards.each((object, shard) =>
        isDone(from[shard] ?? null) ? null : ask(object, shard, continued?.shared ?? null),
      );
      if (continued) return merge(first, continued, search);
      const keys = keysIn(first);
      const second = await askAgain(first, (page) => page.keys.size < keys.size, { keys, decisions: null });
      const decisions = decide(
        second.filter((page) => page !== null),
        search.pageSize,
      );
      const shared = { keys, decisions };
      const third = await askAgain(second, (page) => isAgainst(page, decisions), shared);
      const pages = third.filter((page) => page !== null);
      const statistics = statisticsOf(pages.map((page) => page.statistics));
      return merge(third, { from, shared, statistics, total: totalOf(pages, decisions) }, search);
    });
  }

  async read(names: readonly DocumentName[], seer: Seer, wanted: WantedParts): Promise<NamedDocument[]> {
    const found = await this.#seenBy(seer, (known) =>
      this.#shards.each(async (object, shard) => {
        const own = [...names.entries()].filter(
          ([, name]) => "url" in name || this.#shards.placeOf(name.externalId) === shard,
        );
        if (own.length === 0) return [];
        const documents = await object.read(
          own.map(([, name]) => name),
          known,
          wanted,
        );
        return documents.map((one) => ({ ...one, position: own[one.position]?.[0] ?? 0 }));
      }),
    );
    const byPosition = new Map<number, NamedDocument>();
    // Several shards may have documents with one URL.
    for (const one of found.flat()) if (!byPosition.has(one.position)) byPosition.set(one.position, one);
    return withinBytes(
      [...byPosition.values()].sort((one, other) => one.position - other.position),
      wanted,
    );
  }

  maySee(datasource: string, externalId: string, seer: Seer) {
    return this.#seenBy(seer, (known) => this.#shards.having(externalId).maySee(datasource, externalId, known));
  }

  /** The shard of the document knows the verdict and the rules, and the first one how the person is a member of their groups. */
  explainAccess(name: DocumentName, seer: Seer): Promise<AccessExplanation | null> {
    return this.#seenBy(seer, async (known) => {
      const explained =
        "url" in name
          ? await this.#shards.each((object) => object.explainAccess(name, known))
          : [await this.#shards.having(name.externalId).explainAccess(name, known)];
      const all = explained.filter((one) => one !== null);
      const shown = all.find(({ isAllowed }) => isAllowed) ?? all.find(({ isWithheld }) => isWithheld) ?? all[0];
      if (!shown) return null;
      const names = [...new Set(shown.rules.flatMap(({ principal }) => groupNamesOf(principal)))];
      const standings = await this.#shards.first().groupStandings(shown.datasource, names, seer);
      const standingOf = new Map(standings.map((standing) => [standing.name, standing]));
      return {
        ...shown,
        rules: shown.rules.map((rule) => ({
          ...rule,
          groups: groupNamesOf(rule.principal).map((group) => standingOf.get(group) ?? { name: group, source: null }),
        })),
      };
    });
  }

  standingOf(seer: Seer) {
    return this.#shards.first().standingOf(seer);
  }

  async listDocuments(datasource: string, place: ListPlace) {
    const lists = await this.#shards.each((object) => object.listDocuments(datasource, place));
    const isBackwards = place.before !== undefined;
    const found = lists
      .flatMap(({ documents }) => documents)
      .sort((one, other) => compareUtf8(one.externalId, other.externalId) * (isBackwards ? -1 : 1));
    const page = listedPage(found, place);
    // A shard's page may be full, with more behind it.
    const areMore = lists.some(({ hasEarlier, hasLater }) => (isBackwards ? hasEarlier : hasLater));
    if (!areMore) return page;
    return isBackwards ? { ...page, hasEarlier: true } : { ...page, hasLater: true };
  }

  inspectDocument(datasource: string, externalId: string) {
    return this.#shards.having(externalId).inspectDocument(datasource, externalId);
  }

  async count(datasource: string): Promise<number> {
    return sum(await this.#shards.each((object) => object.count(datasource)));
  }

  changeRights(datasource: string, change: RightsChange) {
    return this.#shards.first().changeRights(datasource, change);
  }

  undescribedGroups(datasource: string, names: readonly string[]) {
    return this.#shards.first().undescribedGroups(datasource, names);
  }

  /**
   * Every shard takes each page of documents, with those that it has, so that each keeps the pages in order and knows what to remove.
   * The first one decides about the order, and numbers the upload.
   */
  async takePart(part: PagePart): Promise<PartProgress | Refused> {
    const places = part.items.map((item) => this.#placeOfItem(item));
    const isOneOfSeveral = part.kind === "documents";
    const partOf = (shard: number) => ({
      ...part,
      items: part.items.filter((_, at) => places[at] === shard),
      isOneOfSeveral,
    });
    const first = await this.#shards.first().takePart(partOf(0));
    if (isRefused(first)) return first;
    const { generation } = first;
    if (!isOneOfSeveral) return first;
    const all = await this.#shards.each((object, shard) =>
      shard === 0 ? first : object.takePart({ ...partOf(shard), generation }),
    );
    const parts: PartProgress[] = [];
    for (const one of all) {
      if (isRefused(one)) return one;
      parts.push(one);
    }
    const left = parts.map((one) => one.taken);
    const untaken = places.findIndex((place) => (left[place] = (left[place] ?? 0) - 1) < 0);
    const taken = untaken === -1 ? places.length : untaken;
    const progress = progressOf(parts);
    const isRemoved = progress.status === "held" && part.isLast && (part.isUnchecked || !isMassRemoval(progress));
    const decided = isRemoved ? await this.decideRemoval({ target: part, removes: true }) : null;
    return { ...progress, ...decided, taken, generation };
  }

  /** As long as any shard holds its part, the upload is held, and the decision can be repeated. */
  async decideRemoval(decision: RemovalDecision): Promise<UploadProgress | null> {
    const { target } = decision;
    if (target.kind !== "documents") return this.#shards.first().decideRemoval(decision);
    const { kind, datasource, groupName, uploadId } = target;
    const asked = { ...decision, target: { kind, datasource, groupName, uploadId } };
    const all = await this.#shards.each((object) => object.decideRemoval(asked));
    const decided = all.filter((one) => one !== null);
    return decided.length === 0 ? null : progressOf(decided);
  }

  async removedDocuments(): Promise<RemovedDocuments[]> {
    const found = await this.#shards.each((object) => object.removedDocuments());
    const bySource = Map.groupBy(found.flat(), ({ datasource }) => datasource);
    return [...bySource]
      .map(([datasource, all]) => ({
        datasource,
        documents: sum(all.map(({ documents }) => documents)),
        firstRemovedAt: Math.min(...all.map(({ firstRemovedAt }) => firstRemovedAt)),
        lastRemovedAt: Math.max(...all.map(({ lastRemovedAt }) => lastRemovedAt)),
        fate: all.map(({ fate }) => fate).find((fate) => fate !== null) ?? null,
      }))
      .sort((one, other) => compareUtf8(one.datasource, other.datasource));
  }

  async decideFate(datasource: string, fate: RemovedFate): Promise<number> {
    return sum(await this.#shards.each((object) => object.decideFate(datasource, fate)));
  }

  async uploads(datasource: string, only?: SelectedUploads): Promise<UploadStatus[]> {
    const [first = [], ...others] = await this.#shards.each((object) => object.uploads(datasource, only));
    return first.map((upload) => withOthers(upload, others.flat()));
  }

  noteUploadError(target: UploadTarget, message: string) {
    return this.#shards.first().noteUploadError(target, message);
  }

  /** All shards get the schema: where a key is unknown, a search by it would be one for its name. */
  async putValues({ group, documents }: GroupValues): Promise<ValuesOutcome[]> {
    await this.adoptGroup(group);
    const idOfNamed = ({ document }: ValuesOfDocument) => document.externalId;
    return this.#byShard(documents, idOfNamed, (object, own) => object.putValues({ group, documents: own }));
  }

  async adoptGroup(group: MetadataGroup): Promise<void> {
    await this.#shards.each((object) => object.adoptGroup(group));
  }

  async forgetGroup(name: string, upTo: number): Promise<void> {
    await this.#shards.each((object) => object.forgetGroup(name, upTo));
  }

  async countByGroup(groupIds: readonly number[], max: number): Promise<number[]> {
    const counts = await this.#shards.each((object) => object.countByGroup(groupIds, max));
    return groupIds.map((_, at) => Math.min(sum(counts.map((one) => one[at] ?? 0)), max));
  }

  async countByKey(groupId: number, max: number): Promise<Record<number, number>> {
    const all: Record<number, number> = {};
    for (const counts of await this.#shards.each((object) => object.countByKey(groupId, max))) {
      for (const [key, count] of Object.entries(counts))
        all[Number(key)] = Math.min((all[Number(key)] ?? 0) + count, max);
    }
    return all;
  }

  async stats(): Promise<DocumentStats> {
    const all = (await this.#shards.each((object) => object.stats())) as [DocumentStats, ...DocumentStats[]];
    const [first] = all;
    const documentsIn = (name: string) =>
      sum(all.map(({ datasources }) => datasources.find((one) => one.name === name)?.documents ?? 0));
    const named = new Map(all.toReversed().flatMap(({ datasources }) => datasources.map((one) => [one.name, one])));
    const alarms = all.map(({ alarmAt }) => alarmAt).filter((at) => at !== null);
    return {
      ...first,
      bytes: sum(all.map(({ bytes }) => bytes)),
      fullestBytes: Math.max(...all.map(({ fullestBytes }) => fullestBytes)),
      datasources: [...named.values()]
        .map((one) => ({ ...one, documents: documentsIn(one.name) }))
        .sort((one, other) => compareUtf8(one.name, other.name)),
      languages: Object.fromEntries(
        LANGUAGES.map((language) => [language, sum(all.map(({ languages }) => languages[language] ?? 0))]),
      ),
      searches: Math.max(...all.map(({ searches }) => searches)),
      removing: Math.max(...all.map(({ removing }) => removing)),
      held: [
        ...Map.groupBy(
          all.flatMap(({ held }) => held),
          ({ kind, datasource, groupName }) => JSON.stringify([kind, datasource, groupName]),
        ).values(),
      ].map(([upload, ...rest]) => withOthers(upload as HeldUpload, rest)),
      alarmAt: alarms.length === 0 ? null : Math.min(...alarms),
      alarmFailedAt: Math.max(...all.map(({ alarmFailedAt }) => alarmFailedAt)),
    };
  }

  indexedAt(datasource: string, externalId: string) {
    return this.#shards.having(externalId).indexedAt(datasource, externalId);
  }

  /**
   * Exports one shard after another, the first one last: groups have to come after all documents that name them. Lines that every
   * shard has are left out of the others.
   */
  async exportPage(after: string | null): Promise<ExportPage> {
    const last = this.#shards.count - 1;
    const [at, place] = after === null ? [last, null] : (JSON.parse(after) as [number, unknown]);
    // No export returned a place beyond the last shard, or one without a shard, but an operator may send it.
    const shard = Math.min(at, last);
    const { lines, next } = await this.#shards.at(shard).exportPage(typeof place === "string" ? place : null);
    const isEnd = next === null && shard === 0;
    return {
      lines: shard === 0 ? lines : lines.filter((line) => "document" in line),
      next: isEnd ? null : JSON.stringify(next === null ? [shard - 1, null] : [shard, next]),
    };
  }

  /** A shard that has written lines already ignores them, so a restore continues where the last of them stopped. */
  async importPage(page: ImportPage): Promise<number | null> {
    const written = await this.#shards.each((object, shard) =>
      object.importPage({
        ...page,
        lines: page.lines.filter((line) => this.#takes(shard, line)),
        covers: page.lines.length,
      }),
    );
    return written.includes(null) ? null : Math.min(...(written as number[]));
  }

  #takes(shard: number, line: ExportLine): boolean {
    if ("metadataGroup" in line) return true;
    return shard === ("document" in line ? this.#shards.placeOf(line.document.externalId) : 0);
  }

  #placeOfItem(item: UploadItem): number {
    return item.kind === "documents" ? this.#shards.placeOf(item.document.externalId) : 0;
  }

  #seenBy<Result>(seer: Seer, act: (seer: Seer) => Promise<Result>): Promise<Result> {
    return this.#rights.using(this.#shards.first(), this.#instanceId, seer, act);
  }
}

function idOf(change: DocumentChange): string {
  return change.act === "put" ? change.document.externalId : change.externalId;
}

function isRefused(taken: PartProgress | Refused): taken is Refused {
  return "refused" in taken;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Leaves out the contents if those of all shards together are too large, or those of one already were. */
function withinBytes(documents: NamedDocument[], { content, contentBytesMax }: WantedParts): NamedDocument[] {
  if (!content) return documents;
  const bytes = sum(
    documents.map((one) => (one.content === null ? Number.POSITIVE_INFINITY : utf8Length(one.content))),
  );
  return bytes <= contentBytesMax ? documents : documents.map((one) => ({ ...one, content: null }));
}

/** What comes before an upload is done, in this order. */
const UNTIL_DONE = ["receiving", "held", "removing"] as const;

/** Adds up what an upload has brought to all shards, and what it removes from them. */
function sumsOf(all: readonly Pick<UploadProgress, keyof Removal | "received" | "removed">[]) {
  return {
    received: sum(all.map(({ received }) => received)),
    removed: sum(all.map(({ removed }) => removed)),
    stale: sum(all.map(({ stale }) => stale)),
    total: sum(all.map(({ total }) => total)),
    heldUntil: all.map(({ heldUntil }) => heldUntil).reduce(earlier, null),
  };
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Adds up how far an upload is in all shards. It is done when the last of them is. */
function progressOf(all: readonly UploadProgress[]): UploadProgress {
  const [first] = all as [UploadProgress];
  const statuses = all.map(({ status }) => status);
  return {
    uploadId: first.uploadId,
    status: UNTIL_DONE.find((status) => statuses.includes(status)) ?? "done",
    startedAt: first.startedAt,
    ...sumsOf(all),
  };
}

/** Adds what other shards received and removed in the same upload of documents. */
export function withOthers<Status extends UploadStatus>(upload: Status, others: readonly UploadStatus[]): Status {
  if (upload.kind !== "documents") return upload;
  const all = [upload, ...others.filter(({ kind, uploadId }) => kind === "documents" && uploadId === upload.uploadId)];
  const unfinished = (["held", "removing"] as const).find((stage) => all.some(({ status }) => status === stage));
  return {
    ...upload,
    status: unfinished ?? upload.status,
    completedAt: unfinished ? null : upload.completedAt,
    changedAt: Math.max(...all.map(({ changedAt }) => changedAt)),
    ...sumsOf(all),
    examples: all.flatMap(({ examples }) => examples).slice(0, EXAMPLES),
  };
}
