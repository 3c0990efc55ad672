import { Keyring } from "#crypto/keyring.ts";
import { documentsOf, instancesIn, restoreDocuments } from "./backup-documents.ts";
import { readBackupFile, writeBackupFile } from "./backup-file.ts";
import { forCopy, requireNewest, restoreDatabase, rowsOf } from "./backup.ts";
import type { DatabaseCommand, Input, OptionTexts } from "./command.ts";
import { CommandLineError } from "./failures.ts";
import type { OpenDatabase } from "./database.ts";
import { readSchema } from "./schema-files.ts";
import { openWorker, type WorkerLink } from "./worker-link.ts";
import type { SendToWorker } from "./worker-request.ts";

const OPTIONS: OptionTexts = {
  "--only <part>": "database or documents",
  "--url <address>": "the Worker's address, if it is not INSTANCE_HOST: https://{instance}-be.example.com",
};

type Part = "database" | "documents";

export const backupCommands: readonly DatabaseCommand[] = [
  {
    asks: "database",
    usage: "backup write <file>",
    purpose: "write the database and the documents of each instance to a new file that only you can read",
    examples: ["backup write gatehouse-backup.jsonl --remote"],
    options: OPTIONS,
    async run(input, database, send) {
      const file = input.word("file");
      const parts = partsOf(input);
      const schema = await readSchema();
      const { bindings } = database;
      await requireNewest(bindings.DB, schema);
      const written = { database: 0, documents: 0 };
      await writeBackupFile(file, schema.newest, new Keyring(bindings.MASTER_KEYS), async (add) => {
        if (parts.includes("database")) {
          for await (const page of rowsOf(bindings.DB, schema)) {
            await add(page);
            written.database += page.length;
          }
        }
        if (!parts.includes("documents")) return;
        const instances = (await database.services.instances.list()).map(({ name }) => name);
        await withWorker([database, send], input, instances, async (worker) => {
          for (const instance of instances) {
            for await (const page of documentsOf(worker, instance)) {
              await add(page);
              written.documents += page.length;
            }
          }
        });
      });
      return {
        answer: { rows: written.database, documents: written.documents },
        lines: [
          `Wrote ${written.database} rows and ${written.documents} lines of documents to ${file}.`,
          "Its secrets can't be used without MASTER_KEYS. Its documents are readable: protect the file accordingly.",
        ],
      };
    },
  },
  {
    asks: "database",
    usage: "backup restore <file>",
    purpose:
      "restore that file, of this or an older version, into an empty database and instances without documents. If interrupted, run it again",
    examples: ["backup restore gatehouse-backup.jsonl --remote"],
    options: {
      ...OPTIONS,
      "--copy":
        "for a copy beside the running deployment: nothing is sent to the receivers of audit entries and alerts",
      "--unverified": "restore a file although no key of MASTER_KEYS made it",
    },
    async run(input, database, send) {
      const parts = partsOf(input);
      const schema = await readSchema();
      const { bindings } = database;
      const keyring = input.flag("unverified") ? null : new Keyring(bindings.MASTER_KEYS);
      const whole = await readBackupFile(input.word("file"), schema.newest, keyring);
      const backup = input.flag("copy") ? forCopy(whole) : whole;
      const restored = { rows: 0, documents: 0 };
      const lines: string[] = [];
      if (parts.includes("database")) {
        restored.rows = await restoreDatabase(bindings.DB, schema, backup);
        lines.push(
          restored.rows === 0
            ? "The database has all rows of the backup: nothing is left to restore."
            : `Restored ${restored.rows} rows.`,
        );
      }
      if (parts.includes("documents")) {
        await withWorker([database, send], input, await instancesIn(backup), async (worker) => {
          restored.documents = await restoreDocuments(worker, backup);
        });
        lines.push(`Restored ${restored.documents} lines of documents.`);
      }
      return { answer: restored, lines };
    },
  },
];

/** Returns the parts to process: both, unless the command says otherwise. */
function partsOf(input: Input): readonly Part[] {
  const only = input.option("only");
  if (only === undefined) return ["database", "documents"];
  if (only === "database" || only === "documents") return [only];
  throw new CommandLineError("--only must be database or documents");
}

/** Opens a Worker for an act. Without an instance there are no documents, so no Worker is needed. */
async function withWorker(
  link: readonly [OpenDatabase, SendToWorker],
  input: Input,
  [instance]: readonly string[],
  act: (worker: WorkerLink) => Promise<void>,
): Promise<void> {
  if (instance === undefined) return;
  const worker = await openWorker(...link, instance, input.option("url"));
  try {
    await act(worker);
  } finally {
    await worker.close();
  }
}
