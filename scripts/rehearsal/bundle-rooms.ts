import { readFileSync } from "node:fs";

/** Bytes of the minified bundle, by room of `src/` and by package. */
export type Rooms = Readonly<Record<string, number>>;

/** The rooms as they were weighed last: `npm run bench:start-up -- --keep` writes them again. */
export const KEPT_ROOMS = new URL("./bundle-rooms.json", import.meta.url);

/** As many rooms as a message names. */
const NAMED_MAX = 8;

/** What a room has to grow by to be named, in bytes. */
const GROWTH_LEAST = 500;

/** Weighs the rooms in what esbuild says of a bundle, which `wrangler deploy --metafile` writes beside it. */
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

/** The rooms that grew most since they were last weighed, in words. */
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

/** `src/clients/client.ts` → `clients`; of packages their name. */
function roomOf(path: string): string {
  const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  if (packageName !== undefined) return packageName;
  return /^(?:.*\/)?src\/([^/]+)\//.exec(path)?.[1] ?? "src";
}
