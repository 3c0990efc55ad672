import { compareUtf8 } from "./compare-utf8.ts";

/** A place in one object's copy: a section, and a key in its order. */
type Place = readonly [section: number, key?: readonly (string | number)[]];

/** Where the copy of all shards is: the shard that is being copied, or their number if only changes are left, and each one's place. */
export interface Places {
  readonly at: number;
  readonly places: readonly (string | null)[];
}

/**
 * Returns the earlier of two places in a copy, as pages of moves name them; `null`: the beginning. If shards took different versions of
 * a page, the next one has to begin where the shorter of them ended.
 */
export function earlierPlace(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  const left = JSON.parse(one) as Place | Places;
  const right = JSON.parse(other) as Place | Places;
  if ("places" in left && "places" in right) {
    const places = left.places.map((place, shard) => earlierPlace(place, right.places[shard] ?? null));
    return JSON.stringify({ at: Math.min(left.at, right.at), places } satisfies Places);
  }
  return isAfter(left as Place, right as Place) ? other : one;
}

function isAfter([section, key = []]: Place, [otherSection, otherKey = []]: Place): boolean {
  if (section !== otherSection) return section > otherSection;
  for (const [at, part] of key.entries()) {
    const otherPart = otherKey[at] ?? "";
    const isNumber = typeof part === "number" && typeof otherPart === "number";
    const order = isNumber ? part - otherPart : compareUtf8(String(part), String(otherPart));
    if (order !== 0) return order > 0;
  }
  return false;
}
