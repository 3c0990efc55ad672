import { auditCommands } from "./audit-commands.ts";
import { backupCommands } from "./backup-commands.ts";
import { clientCommands } from "./client-commands.ts";
import type { ApiCommand, Command } from "./command.ts";
import { declaringCommands } from "./declaring-commands.ts";
import { doctorCommand } from "./doctor-command.ts";
import { grantCommands } from "./grant-commands.ts";
import { instanceCommands } from "./instance-commands.ts";
import { issuerCommands } from "./issuer-commands.ts";
import { masterKeyCommands } from "./master-key-commands.ts";
import { personCommands } from "./person-commands.ts";
import { schemaCommands } from "./schema-commands.ts";
import { tokenCommands } from "./token-commands.ts";

const COMMANDS: readonly (Command | ApiCommand)[] = [
  ...schemaCommands,
  ...instanceCommands,
  ...personCommands,
  ...clientCommands,
  ...tokenCommands,
  ...issuerCommands,
  ...grantCommands,
  ...auditCommands,
  ...declaringCommands,
  doctorCommand,
  ...masterKeyCommands,
  ...backupCommands,
];

/** The command that a line names, and how many words its name takes. */
export function findCommand(
  args: readonly string[],
): { readonly words: number; readonly command: Command | ApiCommand } | undefined {
  for (const command of COMMANDS) {
    const words = command.name.split(" ");
    if (words.every((word, index) => args[index] === word)) {
      return { words: words.length, command };
    }
  }
  return undefined;
}

export const HELP = [
  "npm run admin -- <command>            on the local database",
  "npm run admin -- <command> --remote   on the deployed one (MASTER_KEYS in the environment)",
  "",
  ...COMMANDS.map((command) => `  ${command.name} ${command.usage}\n      ${command.purpose}`),
].join("\n");
