import { type ChildProcess, spawn, spawnSync } from "node:child_process";

/** How long a process may take to close its database before it is ended without asking. */
const GRACE_MILLISECONDS = 3000;

/** Starts a Node program in a process group of its own, so that everything it starts in turn can be ended with it. */
export function spawnGroup(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit"], detached: true });
}

/** Ends the process and all of its descendants: first with a request, soon after without one. */
export async function endGroup(leader: ChildProcess): Promise<void> {
  signalGroup(leader, "SIGTERM");
  const deadline = Date.now() + GRACE_MILLISECONDS;
  while (isGroupAlive(leader) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  signalGroup(leader, "SIGKILL");
}

function isGroupAlive(leader: ChildProcess): boolean {
  return signalGroup(leader, 0);
}

/** @returns whether there was anybody left to signal. */
function signalGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (pid === undefined) return false;
  // Windows knows no process groups; there `taskkill` walks the tree instead.
  if (process.platform === "win32") {
    return signal !== 0 && spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"]).status === 0;
  }
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
