import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../../../scripts/local/postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of one server for all files. Each case uses its own instance. */
    postgres: string;
    /** What a new server starts from: data to copy, and its password. */
    newPostgres: { readonly data: string; readonly password: string };
  }
}

/** Starts one PostgreSQL server for all tests of its engine. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-postgres-"));
  const settings = { folder, password: randomUUID(), isDurable: false };
  const first = await startPostgres(settings);
  await first.stop();
  const data = join(folder, "new");
  execFileSync("cp", ["-a", join(folder, "postgres"), data]);
  project.provide("newPostgres", { data, password: settings.password });
  const server = await startPostgres(settings);
  project.provide("postgres", server.address);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
