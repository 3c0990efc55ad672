import { parseArguments } from "./arguments.ts";
import { restoreBackup, writeBackup } from "./backup.ts";
import type { Command } from "./commands.ts";
import { readSchema } from "./schema-files.ts";

export const backupCommands: readonly Command[] = [
  {
    name: "backup write",
    usage: "<file>",
    purpose:
      "write everything that the database holds to a new file; secrets in it are hashed or sealed; documents are not in it",
    async run(words, { bindings, print }) {
      const file = parseArguments(words, {}).word(0, "file");
      const rows = await writeBackup(bindings.DB, await readSchema(), file);
      print(`Wrote ${rows} rows to ${file}. Without MASTER_KEYS its secrets open nowhere.`);
      return { rows };
    },
  },
  {
    name: "backup restore",
    usage: "<file>",
    purpose: "write a backup into a database that has tables and no rows",
    async run(words, { bindings, print }) {
      const file = parseArguments(words, {}).word(0, "file");
      const rows = await restoreBackup(bindings.DB, await readSchema(), file);
      print(`Restored ${rows} rows.`);
      return { rows };
    },
  },
];
