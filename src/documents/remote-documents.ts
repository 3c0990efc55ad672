import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Documents, ObjectCalls } from "./documents.ts";
import type { ChangeOutcome, DocumentChange, DocumentName, DocumentSearch, Seer, WantedParts } from "./engine.ts";
import type { ListPlace } from "./inspection/inspection.ts";
import type { DocumentReference, KeyValues, MetadataGroup } from "./metadata/metadata.ts";
import type { RightsChange } from "./rights/rights.ts";
import { partsOf, stepsOfChanges } from "./steps.ts";
import type { ImportPage } from "./upkeep/keeping.ts";
import type { PageRefused, UploadPage, UploadProgress, UploadTarget } from "./uploads/uploads.ts";

/** A caller that would wait longer is told to try again instead. */
const ANSWER_MILLISECONDS_MAX = 5000;

const RETRY_AFTER_SECONDS = 5;

/** What the request with the last page removes before it answers; the alarm goes on. */
const REMOVALS_A_REQUEST = 10;

/**
 * Every instance's documents, each in its own object: made by name at the first write, with nothing to provision. An object that
 * does not answer is 503, and nothing else of the service waits for it.
 */
export class RemoteDocuments implements Documents {
  readonly #objects: DurableObjectNamespace;

  constructor(objects: DurableObjectNamespace) {
    this.#objects = objects;
  }

  /** Steps of a large request are apart: each holds once it is made, and a failure leaves those before it. */
  async apply(instanceId: number, changes: readonly DocumentChange[]): Promise<ChangeOutcome[]> {
    const outcomes: ChangeOutcome[] = [];
    for (const step of stepsOfChanges(changes)) {
      outcomes.push(...(await this.#write(instanceId, (object) => object.apply(step))));
    }
    return outcomes;
  }

  find(instanceId: number, search: DocumentSearch, seer: Seer) {
    return this.#read(instanceId, (object) => object.find(search, seer));
  }

  read(instanceId: number, names: readonly DocumentName[], seer: Seer, wanted: WantedParts) {
    return this.#read(instanceId, (object) => object.read(names, seer, wanted));
  }

  maySee(instanceId: number, datasource: string, externalId: string, seer: Seer) {
    return this.#write(instanceId, (object) => object.maySee(datasource, externalId, seer));
  }

  explainAccess(instanceId: number, name: DocumentName, seer: Seer) {
    return this.#read(instanceId, (object) => object.explainAccess(name, seer));
  }

  standingOf(instanceId: number, seer: Seer) {
    return this.#read(instanceId, (object) => object.standingOf(seer));
  }

  listDocuments(instanceId: number, datasource: string, place: ListPlace) {
    return this.#read(instanceId, (object) => object.listDocuments(datasource, place));
  }

  inspectDocument(instanceId: number, datasource: string, externalId: string) {
    return this.#read(instanceId, (object) => object.inspectDocument(datasource, externalId));
  }

  count(instanceId: number, datasource: string) {
    return this.#write(instanceId, (object) => object.count(datasource));
  }

  changeRights(instanceId: number, datasource: string, change: RightsChange) {
    return this.#write(instanceId, (object) => object.changeRights(datasource, change));
  }

  async takePage(instanceId: number, page: UploadPage): Promise<UploadProgress | PageRefused> {
    const { items: _items, ...target } = page;
    let progress: UploadProgress = { uploadId: page.uploadId, status: "receiving", received: 0, removed: 0 };
    for (const part of partsOf(page)) {
      const taken = await this.#write(instanceId, (object) => object.takePage(part));
      if ("refused" in taken) return taken;
      progress = taken;
    }
    for (let step = 0; step < REMOVALS_A_REQUEST && progress.status === "removing"; step += 1) {
      progress = await this.#write(instanceId, (object) => object.removeNext(target));
    }
    return progress;
  }

  uploads(instanceId: number, datasource: string) {
    return this.#write(instanceId, (object) => object.uploads(datasource));
  }

  noteUploadError(instanceId: number, target: UploadTarget, message: string) {
    return this.#write(instanceId, (object) => object.noteUploadError(target, message));
  }

  putValues(instanceId: number, document: DocumentReference, group: MetadataGroup, values: readonly KeyValues[]) {
    return this.#write(instanceId, (object) => object.putValues(document, group, values));
  }

  adoptGroup(instanceId: number, group: MetadataGroup) {
    return this.#write(instanceId, (object) => object.adoptGroup(group));
  }

  forgetGroup(instanceId: number, name: string, upTo: number) {
    return this.#write(instanceId, (object) => object.forgetGroup(name, upTo));
  }

  countByGroup(instanceId: number, groupIds: readonly number[], max: number) {
    return this.#write(instanceId, (object) => object.countByGroup(groupIds, max));
  }

  countByKey(instanceId: number, groupId: number, max: number) {
    return this.#write(instanceId, (object) => object.countByKey(groupId, max));
  }

  stats(instanceId: number) {
    return this.#write(instanceId, (object) => object.stats());
  }

  indexedAt(instanceId: number, datasource: string, externalId: string) {
    return this.#write(instanceId, (object) => object.indexedAt(datasource, externalId));
  }

  exportPage(instanceId: number, after: string | null) {
    return this.#write(instanceId, (object) => object.exportPage(after));
  }

  importPage(instanceId: number, page: ImportPage) {
    return this.#write(instanceId, (object) => object.importPage(page));
  }

  async #read<Result>(instanceId: number, act: (object: ObjectCalls) => Promise<Result>): Promise<Result> {
    try {
      return await this.#ask(instanceId, act);
    } catch (cause) {
      throw new ApiError("search_unavailable", {
        reason: "documents_unavailable",
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause,
      });
    }
  }

  async #write<Result>(instanceId: number, act: (object: ObjectCalls) => Promise<Result>): Promise<Result> {
    try {
      return await this.#ask(instanceId, act);
    } catch (cause) {
      if (describeError(cause).includes("SQLITE_FULL")) {
        throw new ApiError("conflict", {
          reason: "documents_full",
          description: "The instance's documents use all of their 10 GB: remove some first",
        });
      }
      throw new StorageUnavailable("documents failed", { cause });
    }
  }

  async #ask<Result>(instanceId: number, act: (object: ObjectCalls) => Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("the object did not answer in time")), ANSWER_MILLISECONDS_MAX);
    try {
      const object = this.#objects.getByName(String(instanceId)) as unknown as ObjectCalls;
      return await Promise.race([act(object), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
