import { EXIT, Failure, printable, reasonOf } from "../failure.ts";
import type { Extractor } from "../formats/extractor.ts";
import { type Permissions, RULES_FILE, shownPermissions, type Visibility } from "../permissions.ts";
import type { Item, Skipped, Source } from "../source.ts";
import {
  type Addresses,
  documentsOf,
  firstIdOf,
  hashOf,
  idOf,
  NoText,
  PART_CHARACTERS_MAX,
  unchangedIds,
  urlOf,
  wasSentByThisTool,
} from "./documents.ts";
import { Refused, type SentDocument, type Service } from "./service.ts";

export interface PushOptions {
  readonly source: Source;
  readonly visibility: Visibility;
  readonly addresses: Addresses;
  /** Absent in a dry run without a token: nothing is compared. */
  readonly service?: Service | undefined;
  readonly extractor: Extractor;
  /** Shows what would be done, and does nothing. */
  readonly isDryRun: boolean;
  /** Whether more than {@link REMOVED_SHARE_MAX} of the documents may be removed. */
  readonly mayRemoveMany: boolean;
  /** Reports every item that was looked at. */
  readonly onProgress?: (result: PushResult) => void;
}

/** A larger share is more likely a wrong folder than what somebody wanted. */
const REMOVED_SHARE_MAX = 0.2;

/** Documents in a request, and their characters. */
const BATCH_DOCUMENTS_MAX = 100;
const BATCH_CHARACTERS_MAX = 2_000_000;

const REMOVED_AT_ONCE = 4;

/** What was done so far. */
export class PushResult {
  /** Files and pages that were looked at. */
  items = 0;
  bytes = 0;
  /** Documents, except for items, which count those whose documents are up to date. */
  sent = 0;
  unchanged = 0;
  removed = 0;
  /** Documents whose removal waits for `--remove`. */
  held = 0;
  /** Documents of the datasource that something else sent. They stay. */
  foreign = 0;
  /** The paths that are new or changed. */
  changed: string[] = [];
  gone: string[] = [];
  skipped: Skipped[] = [];
  warnings: string[] = [];
  /** Paths by who may see them. */
  readonly audiences = new Map<string, string[]>();
}

/** Brings a datasource in line with a source: sends what is new or changed, and removes what is gone. */
export async function push(options: PushOptions): Promise<PushResult> {
  const { source, service, onProgress = () => undefined } = options;
  const known = (await service?.list()) ?? new Map<string, string | undefined>();
  const result = new PushResult();
  const batch = new Batch(options, result);
  const kept = new Set<string>();
  const byItem = Map.groupBy(known.keys(), firstIdOf);
  const keep = (path: string) => {
    for (const id of byItem.get(idOf(path)) ?? []) kept.add(id);
  };
  const skip = (skipped: Skipped) => {
    result.skipped.push({ ...skipped, path: printable(skipped.path) });
    if (skipped.isFailure) keep(skipped.path);
  };

  for await (const item of source.items(skip)) {
    const permissions = permissionsFor(item, options.visibility);
    noteAudience(result, permissions, item.path);
    try {
      const ids = await pushItem(item, permissions, known, { ...options, batch, result });
      for (const id of ids) kept.add(id);
    } catch (error) {
      if (error instanceof Failure) throw error;
      // A file that has no text any more has no documents either.
      skip({ path: item.path, reason: reasonOf(error), isFailure: !(error instanceof NoText) });
    }
    result.items += 1;
    onProgress(result);
  }
  await batch.send();
  for (const path of batch.failed) keep(path);
  await removeGone(known, kept, options, result);
  onProgress(result);
  return result;
}

function permissionsFor({ path }: Item, visibility: Visibility): Permissions {
  const permissions = visibility(path);
  if (permissions) return permissions;
  const problem = `No line of ${RULES_FILE} says who may see ${printable(path)}.`;
  throw new Failure(`${problem} Add a first line such as "* nobody" or "* everyone".`, EXIT.refused);
}

function noteAudience({ audiences }: PushResult, permissions: Permissions, path: string): void {
  const who = shownPermissions(permissions);
  const paths = audiences.get(who);
  if (paths) paths.push(printable(path));
  else audiences.set(who, [printable(path)]);
}

type Work = PushOptions & { readonly batch: Batch; readonly result: PushResult };

/** Sends an item if it is new or changed. @returns the ids of its documents */
async function pushItem(
  item: Item,
  permissions: Permissions,
  known: ReadonlyMap<string, string | undefined>,
  { addresses, extractor, batch, result, isDryRun }: Work,
): Promise<readonly string[]> {
  const url = urlOf(item, addresses);
  const bytes = await item.read();
  result.bytes += bytes.length;
  const hash = hashOf(item, bytes, permissions, url);
  const unchanged = unchangedIds(idOf(item.path), hash, known);
  if (unchanged) {
    result.unchanged += unchanged.length;
    return unchanged;
  }
  const extracted = await extractor.read({ format: item.format, bytes, charactersMax: PART_CHARACTERS_MAX });
  const hasTemplate = addresses.template !== undefined;
  const documents = documentsOf(item, extracted, { permissions, hash, url, hasTemplate });
  result.changed.push(printable(item.path));
  if (isDryRun) result.sent += documents.length;
  else await batch.add(item.path, documents);
  return documents.map(({ id }) => id);
}

interface BatchItem {
  readonly path: string;
  readonly documents: readonly SentDocument[];
}

/** Documents that are sent together. All documents of an item are in one request, which stores all or none. */
class Batch {
  /** The paths of items that the service refused. */
  readonly failed: string[] = [];
  readonly #service: Service | undefined;
  readonly #result: PushResult;
  #items: BatchItem[] = [];
  #documents = 0;
  #characters = 0;
  /** The request that is under way, while the next files are read. */
  #underway: Promise<void> = Promise.resolve();

  constructor({ service }: PushOptions, result: PushResult) {
    this.#service = service;
    this.#result = result;
  }

  async add(path: string, documents: readonly SentDocument[]): Promise<void> {
    const characters = documents.reduce((sum, { body }) => sum + body.textContent.length, 0);
    const isFull = this.#documents + documents.length > BATCH_DOCUMENTS_MAX;
    if (isFull || this.#characters + characters > BATCH_CHARACTERS_MAX) await this.#begin();
    this.#items.push({ path, documents });
    this.#documents += documents.length;
    this.#characters += characters;
  }

  async send(): Promise<void> {
    await this.#begin();
    await this.#underway;
  }

  async #begin(): Promise<void> {
    const items = this.#items;
    [this.#items, this.#documents, this.#characters] = [[], 0, 0];
    await this.#underway;
    this.#underway = this.#put(items);
    // Reported when it is awaited, and not before.
    this.#underway.catch(() => undefined);
  }

  async #put(items: readonly BatchItem[]): Promise<void> {
    const documents = items.flatMap((item) => item.documents);
    if (documents.length === 0 || !this.#service) return;
    try {
      const warnings = await this.#service.put(documents);
      this.#result.warnings.push(...warnings);
      this.#result.sent += documents.length;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const [first] = items;
      if (items.length > 1) for (const item of items) await this.#put([item]);
      else if (first) {
        this.failed.push(first.path);
        this.#result.skipped.push({ path: printable(first.path), reason: error.message, isFailure: true });
      }
    }
  }
}

/** Removes documents whose files are gone, unless they are suspiciously many, or the source wasn't read completely. */
async function removeGone(
  known: ReadonlyMap<string, string | undefined>,
  kept: ReadonlySet<string>,
  { source, service, isDryRun, mayRemoveMany }: PushOptions,
  result: PushResult,
): Promise<void> {
  const others = [...known.keys()].filter((id) => !kept.has(id));
  const gone = others.filter((id) => wasSentByThisTool(known.get(id)));
  result.foreign = others.length - gone.length;
  if (!source.isComplete()) return;
  result.gone = gone.map(printable);
  const own = known.size - result.foreign;
  if (gone.length > own * REMOVED_SHARE_MAX && !mayRemoveMany) {
    result.held = gone.length;
    return;
  }
  if (isDryRun || !service) return;
  const left = gone.values();
  const remove = async () => {
    for (const id of left) {
      await service.remove(id);
      result.removed += 1;
    }
  };
  await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, remove));
}
