import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { inject } from "vitest";
import { type PostgresServer, type PostgresSettings, startPostgres } from "../../scripts/local/postgres-server.ts";

/**
 * Returns a new server's data. Creating it keeps a core busy for a second, so this is done once for all files; copying
 * takes a tenth.
 */
export async function newServer(): Promise<Pick<PostgresSettings, "folder" | "password">> {
  const { data, password } = inject("newPostgres");
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-postgres-"));
  copyData(data, join(folder, "postgres"));
  return { folder, password };
}

/** Copies the data of a stopped server with its owner, who is the server's user. */
export function copyData(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** Starts a server again. If it was killed, it may keep its memory for a moment longer. */
export async function startAgain(settings: PostgresSettings): Promise<PostgresServer> {
  for (let left = 300; ; left--) {
    try {
      return await startPostgres(settings);
    } catch (cause) {
      if (left === 0) throw cause;
      await wait(100);
    }
  }
}
