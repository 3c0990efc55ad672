import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Member } from "./lifetime.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** In the folder of the local database, which `--fresh` deletes. */
const FOLDER = ".wrangler/state/documents-postgres";

/** wrangler.toml with the binding of the second Worker, which is only a comment there. */
const CONFIG = ".wrangler.documents-postgres.toml";

export const SECOND_CONFIG = "src/documents-postgres/wrangler.toml";

const BINDING = "DOCUMENTS_POSTGRES";

/** The name of the second engine in moves. */
export const POSTGRES_ENGINE = `postgres:${BINDING}`;

/** A PostgreSQL server on this machine, and what `wrangler dev` needs to run both Workers with it. */
export interface DocumentsServer extends Member {
  readonly configs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export async function startDocumentsServer(): Promise<DocumentsServer> {
  // Imported only here, because a plain `npm start` needs no PostgreSQL.
  const { startPostgres } = await import("./postgres-server.ts");
  const folder = resolve(FOLDER);
  await mkdir(folder, { recursive: true });
  const server = await startPostgres({ folder, password: await keptPassword(), isDurable: true });
  await writeFile(CONFIG, withSecondEngine(await readFile("wrangler.toml", "utf8")));
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  return {
    name: "PostgreSQL",
    configs: [CONFIG, SECOND_CONFIG],
    environment: environmentOf(server),
    ended,
    async stop() {
      await server.stop();
      end();
    },
  };
}

/** Adds the binding of the second Worker to the main Worker's configuration. */
export function withSecondEngine(config: string): string {
  return `${config}\n[[services]]\nbinding = "${BINDING}"\nservice = "gatehouse-documents-postgres"\n`;
}

/** Returns the variables that tell `wrangler dev` where the second Worker's database is. */
export function environmentOf({ address }: Pick<PostgresServer, "address">): Readonly<Record<string, string>> {
  return { CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_DATABASE: address };
}

async function keptPassword(): Promise<string> {
  const file = `${FOLDER}/password`;
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  const password = randomBytes(24).toString("base64url");
  await writeFile(file, password, { mode: 0o600 });
  return password;
}
