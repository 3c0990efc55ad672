import type { ExportPage } from "#documents/upkeep/keeping.ts";
import type { BackupFile, DocumentsLine } from "./backup-file.ts";
import type { WorkerLink } from "./worker-link.ts";

/**
 * The most that one import request carries. The object writes it in one step, while others wait: see src/documents/steps.ts.
 */
const LINES_A_PAGE = 40;
const CHARACTERS_A_PAGE = 80_000;

/** Matches the beginning of a written line: the instance, and the kind of the line. */
const LINE = /^\{"documents":"([^"]+)","line":\{"(\w+)":/;

/** Yields everything of an instance's documents that a backup has to keep, in pages. */
export async function* documentsOf(worker: WorkerLink, instance: string): AsyncGenerator<DocumentsLine[]> {
  let after: string | null = null;
  do {
    const page = (await worker.ask(instance, "/internal/documents/export", { after })) as ExportPage;
    yield page.lines.map((line) => ({ documents: instance, line }));
    after = page.next;
  } while (after !== null);
}

/** Returns the instances whose documents a backup has. */
export async function instancesIn(backup: BackupFile): Promise<string[]> {
  const instances = new Set<string>();
  for await (const line of backup.lines()) {
    const instance = LINE.exec(line)?.[1];
    if (instance !== undefined) instances.add(instance);
  }
  return [...instances];
}

/**
 * Writes the documents of a backup into instances that have none. An interrupted restore of the same backup continues.
 *
 * @returns how many lines this call wrote
 * @throws {UsageError} if an instance has any other documents; then nothing is written
 */
export async function restoreDocuments(worker: WorkerLink, backup: BackupFile): Promise<number> {
  const restores = new Map<string, InstanceRestore>();
  for (const instance of await instancesIn(backup)) {
    const restore = new InstanceRestore(worker, instance, backup.sha256);
    await restore.begin();
    restores.set(instance, restore);
  }
  // Groups come before the documents that name them: until a group is described, its name means the directory's group.
  for (const isDocument of [false, true]) {
    for await (const line of backup.lines()) {
      const [, instance = "", holds] = LINE.exec(line) ?? [];
      if ((holds === "document") === isDocument) await restores.get(instance)?.add(line);
    }
  }
  let written = 0;
  for (const restore of restores.values()) written += await restore.end();
  return written;
}

/** Sends an instance's lines in order, in pages, without those that were written before. */
class InstanceRestore {
  readonly #worker: WorkerLink;
  readonly #instance: string;
  readonly #backup: string;
  #waiting: string[] = [];
  #characters = 0;
  #read = 0;
  #taken = 0;
  #takenBefore = 0;

  constructor(worker: WorkerLink, instance: string, backup: string) {
    this.#worker = worker;
    this.#instance = instance;
    this.#backup = backup;
  }

  /** Asks how many lines are already written. */
  async begin(): Promise<void> {
    this.#takenBefore = await this.#send(0, [], false);
    this.#taken = this.#takenBefore;
  }

  async add(line: string): Promise<void> {
    this.#read += 1;
    if (this.#read <= this.#takenBefore) return;
    if (this.#waiting.length === LINES_A_PAGE || this.#characters + line.length > CHARACTERS_A_PAGE)
      await this.#flush(false);
    this.#waiting.push(line);
    this.#characters += line.length;
  }

  /** @returns how many lines this restore wrote */
  async end(): Promise<number> {
    await this.#flush(true);
    return this.#taken - this.#takenBefore;
  }

  async #flush(isLast: boolean): Promise<void> {
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting.map((line) => (JSON.parse(line) as DocumentsLine).line);
    const after = this.#taken + lines.length;
    const taken = await this.#send(this.#taken, lines, isLast);
    if (taken !== after) throw new Error(`${this.#instance} has ${taken} lines of the backup and not ${after}`);
    this.#taken = after;
    this.#waiting = [];
    this.#characters = 0;
  }

  async #send(from: number, lines: readonly unknown[], isLast: boolean): Promise<number> {
    const page = { backup: this.#backup, from, lines, isLast };
    return ((await this.#worker.ask(this.#instance, "/internal/documents/import", page)) as { taken: number }).taken;
  }
}
