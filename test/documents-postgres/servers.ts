import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { inject } from "vitest";
import { type PostgresServer, type PostgresSettings, startPostgres } from "../../scripts/local/postgres-server.ts";

/** A new server's data, which was created once for all files: that keeps a core busy for a second, and a copy for a tenth of it. */
export async function newServer(): Promise<Pick<PostgresSettings, "folder" | "password">> {
  const { data, password } = inject("newPostgres");
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-postgres-"));
  copyData(data, join(folder, "postgres"));
  return { folder, password };
}

/** Copies the data of a server that is stopped, with its owner, the server's user. */
export function copyData(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** A server that was killed may hold its memory for a moment longer. */
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
