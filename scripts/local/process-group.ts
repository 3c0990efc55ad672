import { type ChildProcess, spawn, spawnSync } from "node:child_process";

/** How long a process may take to close its database before it is killed. */
const GRACE_MILLISECONDS = 3000;

/** Starts a Node program in its own process group, so that everything that it starts can be ended with it. */
export function spawnGroup(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit"], detached: true });
}

/** Ends the process and all of its descendants: first by a request, then by force. */
export async function endGroup(leader: ChildProcess): Promise<void> {
  signalGroup(leader, "SIGTERM");
  const deadline = Date.now() + GRACE_MILLISECONDS;
  while (isGroupAlive(leader) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  signalGroup(leader, "SIGKILL");
}

function isGroupAlive(leader: ChildProcess): boolean {
  return signalGroup(leader, 0);
}

/** @returns whether there was any process to signal. */
function signalGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (pid === undefined) return false;
  // Windows has no process groups; there `taskkill` ends the whole tree.
  if (process.platform === "win32") {
    return signal !== 0 && spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"]).status === 0;
  }
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
