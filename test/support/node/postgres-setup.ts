import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../../../scripts/local/postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of one server for all files; each case takes an instance of its own. */
    postgres: string;
  }
}

/** Starts one PostgreSQL for all tests of its engine. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-postgres-"));
  const server = await startPostgres({ folder, password: randomUUID(), isDurable: false });
  project.provide("postgres", server.address);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
