import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Member } from "./lifetime.ts";
import { startPostgres } from "./postgres-server.ts";

/** Beside the local database, which `--fresh` forgets. */
const FOLDER = ".wrangler/state/documents-postgres";

/** wrangler.toml, and the binding of the second Worker that stands there as a comment. */
const CONFIG = ".wrangler.documents-postgres.toml";

export const SECOND_CONFIG = "src/documents-postgres/wrangler.toml";

/** What the second engine is bound as here. */
export const POSTGRES_ENGINE = "postgres:DOCUMENTS_POSTGRES";

/** A PostgreSQL on this machine, and how `wrangler dev` runs both Workers on it. */
export interface DocumentsServer extends Member {
  readonly configs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export async function startDocumentsServer(): Promise<DocumentsServer> {
  const folder = resolve(FOLDER);
  await mkdir(folder, { recursive: true });
  const server = await startPostgres({ folder, password: await keptPassword(), isDurable: true });
  const services = '[[services]]\nbinding = "DOCUMENTS_POSTGRES"\nservice = "gatehouse-documents-postgres"\n';
  await writeFile(CONFIG, `${await readFile("wrangler.toml", "utf8")}\n${services}`);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  return {
    name: "PostgreSQL",
    configs: [CONFIG, SECOND_CONFIG],
    environment: { CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_DATABASE: server.address },
    ended,
    async stop() {
      await server.stop();
      end();
    },
  };
}

async function keptPassword(): Promise<string> {
  const file = `${FOLDER}/password`;
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  const password = randomBytes(24).toString("base64url");
  await writeFile(file, password, { mode: 0o600 });
  return password;
}
