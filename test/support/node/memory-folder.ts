import { readFileSync, statfsSync } from "node:fs";

/**
 * Files in memory on Linux. Browsers are unpacked into the same folder as databases, so programs must be allowed to run there.
 */
const SHARED_MEMORY = "/dev/shm";

/** More than all databases and browsers of a run need. */
const BYTES_MIN = 2 ** 31;

/** Returns a folder whose files are in memory; `undefined` if there is none, or it lacks space. */
export function memoryFolder(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .findLast((line) => line.split(" ")[1] === SHARED_MEMORY);
  const [, , type, options = ""] = mount?.split(" ") ?? [];
  if (type !== "tmpfs" || options.split(",").some((option) => option === "noexec" || option === "ro")) return undefined;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= BYTES_MIN ? SHARED_MEMORY : undefined;
}
