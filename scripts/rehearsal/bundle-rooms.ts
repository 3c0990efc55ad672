import { readFileSync } from "node:fs";

/** Bytes of the minified bundle by room of `src/` and by package. */
export type Rooms = Readonly<Record<string, number>>;

/** The rooms as last weighed. `npm run bench:start-up -- --keep` writes them again. */
export const KEPT_ROOMS = new URL("./bundle-rooms.json", import.meta.url);

/** The most rooms that a message names. */
const NAMED_MAX = 8;

/** Growth in bytes from which a room is named. */
const GROWTH_LEAST = 500;

/** Weighs the rooms from esbuild's description of a bundle, which `wrangler deploy --metafile` writes next to it. */
export function weighRooms(metafile: string): Rooms {
  const { outputs } = JSON.parse(readFileSync(metafile, "utf8")) as {
    readonly outputs: Readonly<
      Record<string, { readonly inputs: Readonly<Record<string, { bytesInOutput: number }>> }>
    >;
  };
  const rooms: Record<string, number> = {};
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const room = roomOf(path);
      rooms[room] = (rooms[room] ?? 0) + bytesInOutput;
    }
  }
  return rooms;
}

/** Describes the rooms that grew most since they were last weighed. */
export function growthOf(rooms: Rooms, kept: Rooms): string {
  const grown = Object.entries(rooms)
    .map(([room, bytes]) => ({ room, by: bytes - (kept[room] ?? 0) }))
    .filter(({ by }) => by >= GROWTH_LEAST)
    .sort((left, right) => right.by - left.by)
    .slice(0, NAMED_MAX);
  const named = grown.map(({ room, by }) => `${room} by ${(by / 1000).toFixed(1)} kB`);
  return named.length === 0
    ? "no room grew much"
    : `grown since ${KEPT_ROOMS.pathname.split("/").at(-1)}: ${named.join(", ")}`;
}

/** Returns the room of a path, such as `clients` for `src/clients/client.ts`, or the name of its package. */
function roomOf(path: string): string {
  const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  if (packageName !== undefined) return packageName;
  return /^(?:.*\/)?src\/([^/]+)\//.exec(path)?.[1] ?? "src";
}
