import { servicesOf } from "#services.ts";
import { type Arguments, parseArguments } from "./arguments.ts";
import { documentsOf, instancesIn, restoreDocuments } from "./backup-documents.ts";
import { readBackupFile, writeBackupFile } from "./backup-file.ts";
import { requireNewest, restoreRows, rowsOf } from "./backup.ts";
import type { Command } from "./command.ts";
import { type AdminContext, UsageError } from "./context.ts";
import { readSchema } from "./schema-files.ts";
import { openWorker, type WorkerLink } from "./worker-link.ts";

const OPTIONS = { only: { type: "string" }, url: { type: "string" } } as const;
const USAGE = "<file> [--only database|documents] [--url <https://{instance}-be.example.com>]";

type Part = "database" | "documents";

export const backupCommands: readonly Command[] = [
  {
    name: "backup write",
    usage: USAGE,
    purpose:
      "write the database and each instance's documents to a new file; secrets in it are hashed or encrypted, documents are not",
    async run(words, context) {
      const args = parseArguments(words, OPTIONS);
      const file = args.word(0, "file");
      const parts = partsOf(args);
      const schema = await readSchema();
      const { bindings, print } = context;
      await requireNewest(bindings.DB, schema);
      const written = { database: 0, documents: 0 };
      await writeBackupFile(file, schema.newest, async (add) => {
        if (parts.includes("database")) {
          for await (const page of rowsOf(bindings.DB, schema)) {
            await add(page);
            written.database += page.length;
          }
        }
        if (!parts.includes("documents")) return;
        const instances = (await servicesOf(bindings).instances.list()).map(({ name }) => name);
        await withWorker(context, args, instances, async (worker) => {
          for (const instance of instances) {
            for await (const page of documentsOf(worker, instance)) {
              await add(page);
              written.documents += page.length;
            }
          }
        });
      });
      print(`Wrote ${written.database} rows and ${written.documents} lines of documents to ${file}.`);
      print("Its secrets can't be used without MASTER_KEYS. Its documents are readable: protect the file accordingly.");
      return { rows: written.database, documents: written.documents };
    },
  },
  {
    name: "backup restore",
    usage: USAGE,
    purpose:
      "restore a backup into a database with empty tables and instances without documents; if interrupted, run it again",
    async run(words, context) {
      const args = parseArguments(words, OPTIONS);
      const parts = partsOf(args);
      const schema = await readSchema();
      const { bindings, print } = context;
      await requireNewest(bindings.DB, schema);
      const backup = await readBackupFile(args.word(0, "file"), schema.newest);
      const restored = { rows: 0, documents: 0 };
      if (parts.includes("database")) {
        restored.rows = await restoreRows(bindings.DB, schema, backup);
        print(`Restored ${restored.rows} rows.`);
      }
      if (parts.includes("documents")) {
        await withWorker(context, args, await instancesIn(backup), async (worker) => {
          restored.documents = await restoreDocuments(worker, backup);
        });
        print(`Restored ${restored.documents} lines of documents.`);
      }
      return restored;
    },
  },
];

/** Both, where a command does not say otherwise. */
function partsOf(args: Arguments): readonly Part[] {
  const only = args.option("only");
  if (only === undefined) return ["database", "documents"];
  if (only === "database" || only === "documents") return [only];
  throw new UsageError("--only must be database or documents");
}

/** Where there is no instance there are no documents, and no Worker has to be asked. */
async function withWorker(
  context: AdminContext,
  args: Arguments,
  [instance]: readonly string[],
  act: (worker: WorkerLink) => Promise<void>,
): Promise<void> {
  if (instance === undefined) return;
  const worker = await openWorker(context, instance, args.option("url"));
  try {
    await act(worker);
  } finally {
    await worker.close();
  }
}
