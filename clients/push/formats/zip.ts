import { unzipSync, zipSync } from "fflate";

/** More than any document of people unpacks to, and less than what would fill the memory. */
const UNPACKED_BYTES_MAX = 100_000_000;

const ENTRIES_MAX = 20_000;

/** Returns the wanted files of an archive. None gets larger than the archive says, and all together not than a limit. */
export function unpack(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  let [total, entries] = [0, 0];
  const files = unzipSync(bytes, {
    filter({ name, originalSize }) {
      entries += 1;
      if (entries > ENTRIES_MAX) throw new Error(`unpacks to more than ${ENTRIES_MAX} files`);
      if (!isWanted(name)) return false;
      total += originalSize;
      if (total > UNPACKED_BYTES_MAX) throw new Error(`unpacks to more than ${UNPACKED_BYTES_MAX / 1e6} MB`);
      return true;
    },
  });
  return new Map(Object.entries(files));
}

/** Packs files without compressing them, for libraries that unpack without a limit. */
export function packed(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return zipSync(Object.fromEntries(files), { level: 0 });
}
