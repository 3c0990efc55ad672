import type { ExportPage } from "#documents/upkeep/keeping.ts";
import type { BackupFile, DocumentsLine } from "./backup-file.ts";
import type { WorkerLink } from "./worker-link.ts";

/** What the object writes in one step, while others wait; see src/documents/steps.ts. */
const LINES_A_PAGE = 40;
const CHARACTERS_A_PAGE = 80_000;

/** The beginning of a line as it is written: the instance, and what the line holds. */
const LINE = /^\{"documents":"([^"]+)","line":\{"(\w+)":/;

/** Everything that would be lost of an instance's documents, in pages. */
export async function* documentsOf(worker: WorkerLink, instance: string): AsyncGenerator<DocumentsLine[]> {
  let after: string | null = null;
  do {
    const page = (await worker.ask(instance, "/internal/documents/export", { after })) as ExportPage;
    yield page.lines.map((line) => ({ documents: instance, line }));
    after = page.next;
  } while (after !== null);
}

/** The instances that a backup has documents of. */
export async function instancesIn(backup: BackupFile): Promise<string[]> {
  const instances = new Set<string>();
  for await (const line of backup.lines()) {
    const instance = LINE.exec(line)?.[1];
    if (instance !== undefined) instances.add(instance);
  }
  return [...instances];
}

/**
 * Writes the documents of a backup into instances that have none. Where the same backup was interrupted it goes on.
 *
 * @returns how many lines were written now
 * @throws {UsageError} where an instance holds anything else; nothing is written then
 */
export async function restoreDocuments(worker: WorkerLink, backup: BackupFile): Promise<number> {
  const restores = new Map<string, InstanceRestore>();
  for (const instance of await instancesIn(backup)) {
    const restore = new InstanceRestore(worker, instance, backup.sha256);
    await restore.begin();
    restores.set(instance, restore);
  }
  // Groups before the documents that name them: until it is described, a group's name means the directory's group.
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

/** Sends an instance's lines in order, in pages, and leaves out those that were written before. */
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

  /** Asks how many lines are written. */
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

  /** @returns how many lines were written now */
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
