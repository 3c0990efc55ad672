/**
 * `npm run bench:start-up`: measures the size of the Worker, and the time from its start to its first response. With `--keep`, it
 * also writes the size of each room, which the rehearsal of a deployment compares with.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { RATE_LIMIT_BINDINGS } from "#platform/rate-limits.ts";
import { findFreePort } from "../scripts/local/loopback.ts";
import { growthOf, KEPT_ROOMS, type Rooms, weighRooms } from "../scripts/rehearsal/bundle-rooms.ts";

const ROUNDS = 15;

/** The floor: a Worker that does nothing, started in the same way in the same run. */
const BARE_WORKER = "export default { fetch: () => new Response('ok') };";

/** The Worker refuses to serve without its bindings. The measured request uses none of them, so each is bound to the Worker. */
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-02",
  bindings = [
    (name = "INSTANCE_HOST", text = "{instance}-be.example.com"),
    (name = "SERVICE_NAME", text = "Gatehouse"),
    (name = "MASTER_KEYS", text = "bench:${"A".repeat(43)}"),
    ${["DB", "CACHE", "DOCUMENTS", "ASSETS", ...RATE_LIMIT_BINDINGS].map((name) => `(name = "${name}", service = "main")`).join(", ")},
  ],
);
`;

const folder = mkdtempSync(join(tmpdir(), "gatehouse-bundle-"));
try {
  execFileSync("wrangler", ["deploy", "--dry-run", "--metafile", "--outdir", folder], { stdio: "ignore" });
  const bundle = readFileSync(join(folder, "index.js"), "utf8");
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`;
  console.log(`bundle    ${kilobytes(bundle.length)}, ${kilobytes(gzipSync(bundle).length)} gzip (limit 295 kB gzip)`);
  const rooms = weighRooms(join(folder, "bundle-meta.json"));
  if (process.argv.includes("--keep")) writeFileSync(KEPT_ROOMS, `${JSON.stringify(sorted(rooms), null, 2)}\n`);
  else console.log(`rooms     ${growthOf(rooms, JSON.parse(readFileSync(KEPT_ROOMS, "utf8")) as Rooms)}`);

  const pairs: { readonly ours: Cost; readonly bare: Cost }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    pairs.push({ ours: await start(bundle), bare: await start(BARE_WORKER) });
  }
  for (const kind of ["elapsed", "worked"] as const) {
    const ratios = pairs.map(({ ours, bare }) => ours[kind] / bare[kind]).sort((left, right) => left - right);
    const [least, middle, most] = [0, ROUNDS >> 1, ROUNDS - 1].map((index) => (ratios[index] ?? 0).toFixed(2));
    const what = kind === "elapsed" ? "start-up " : "its CPU  ";
    console.log(`${what} ${middle} × a bare Worker, median of ${ROUNDS} pairs (${least} to ${most})`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns the rooms, largest first. */
function sorted(rooms: Rooms): Rooms {
  return Object.fromEntries(Object.entries(rooms).sort(([, left], [, right]) => right - left));
}

/** Milliseconds from the start of workerd to the first response, and the CPU time in between. */
interface Cost {
  readonly elapsed: number;
  readonly worked: number;
}

async function start(script: string): Promise<Cost> {
  writeFileSync(join(folder, "worker.js"), script);
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  const port = await findFreePort();
  const begin = performance.now();
  const workerd = spawn("workerd", ["serve", join(folder, "config.capnp"), "-shttp=127.0.0.1:" + port], {
    stdio: "ignore",
  });
  try {
    // No instance has this host, so the response needs the whole Worker but no storage.
    await firstAnswer(`http://127.0.0.1:${port}/`);
    return { elapsed: performance.now() - begin, worked: workedBy(workerd.pid ?? 0) };
  } finally {
    const ended = once(workerd, "exit");
    workerd.kill("SIGKILL");
    await ended;
  }
}

/**
 * Returns the CPU time of a process's threads as Linux counts it, or NaN elsewhere. Other work on the machine hardly affects it.
 */
function workedBy(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanoseconds.reduce((all, one) => all + one, 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}

async function firstAnswer(url: string): Promise<void> {
  for (let attempt = 0; attempt < 5000; attempt += 1) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response) return;
    await setTimeout(1);
  }
  throw new Error("workerd did not answer");
}
