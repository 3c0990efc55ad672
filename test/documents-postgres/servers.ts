import { setTimeout as wait } from "node:timers/promises";
import { type PostgresServer, type PostgresSettings, startPostgres } from "../../scripts/local/postgres-server.ts";

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
