import { auditCommands } from "./audit-commands.ts";
import { backupCommands } from "./backup-commands.ts";
import { checkCommand } from "./check-command.ts";
import { clientCommands } from "./client-commands.ts";
import type { AdminCommand } from "./command.ts";
import { declaringCommands } from "./declaring-commands.ts";
import { doctorCommand } from "./doctor-command.ts";
import { documentCommands } from "./document-commands.ts";
import { explainCommand } from "./explain-command.ts";
import { glossaryCommands } from "./glossary-commands.ts";
import { grantCommands } from "./grant-commands.ts";
import { instanceCommands } from "./instance-commands.ts";
import { issuerCommands } from "./issuer-commands.ts";
import { masterKeyCommands } from "./master-key-commands.ts";
import { personCommands } from "./person-commands.ts";
import { schemaCommands } from "./schema-commands.ts";
import { securityCommands } from "./security-commands.ts";
import { settingsCommands } from "./settings-commands.ts";
import { tokenCommands } from "./token-commands.ts";

/** Every command, in the order of help. */
export const COMMANDS: readonly AdminCommand[] = [
  checkCommand,
  ...schemaCommands,
  ...instanceCommands,
  ...securityCommands,
  ...settingsCommands,
  ...personCommands,
  ...clientCommands,
  ...tokenCommands,
  ...issuerCommands,
  explainCommand,
  ...grantCommands,
  ...documentCommands,
  ...glossaryCommands,
  ...auditCommands,
  ...declaringCommands,
  doctorCommand,
  ...masterKeyCommands,
  ...backupCommands,
];

/** What the commands are about, by their first word. */
export const GROUPS: Readonly<Record<string, string>> = {
  schema: "the tables of the database",
  instance: "instances of this deployment",
  sso: "where people sign in",
  "signing-key": "the keys that sign access tokens",
  oauth: "the authorization server",
  registration: "which apps are accepted that no administrator created",
  settings: "the settings of an instance",
  person: "people and their roles",
  client: "apps",
  token: "tokens for programs and people",
  issuer: "identity providers whose tokens the Client API accepts",
  grant: "what people allowed apps",
  documents: "the engine that keeps the documents",
  glossary: "what words are also called in search",
  audit: "who decided what",
  "master-key": "the keys that encrypt stored secrets",
  backup: "backups outside the account",
};
