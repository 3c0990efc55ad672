/**
 * Runs a Node program on behalf of another process, and ends it with all of its descendants as soon as that process is gone, for
 * whatever reason. After `kill -9` nothing else could clean up, and an orphan would keep the port.
 *
 *     node scripts/local/guard.ts <program> [arguments]
 */
import { endGroup, spawnGroup } from "./process-group.ts";

const program = spawnGroup(process.argv.slice(2), process.env);

program.once("exit", async (code) => {
  await endGroup(program);
  process.exit(code ?? 1);
});

for (const event of ["disconnect", "SIGTERM", "SIGINT", "SIGHUP"]) {
  process.once(event, async () => {
    await endGroup(program);
    process.exit(0);
  });
}
