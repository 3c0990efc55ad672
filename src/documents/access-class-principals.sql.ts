import { bytesOf, type Store } from "./store.ts";

/** Classes per block. For each principal, the classes of a block are stored as one value, with four bytes each. */
const BLOCK_CLASSES = 1024;

/**
 * How many principals and blocks are read as one value, which takes at most 1.6 of the 2 MB that SQLite allows. Reading 230,000
 * numbers as JSON took most of the time of a person's first search.
 */
const PRINCIPALS_A_VALUE = 100;
const BLOCKS_A_VALUE = 4;

/** Adds a new class to the principals that it names. @param principals a JSON array of ids */
export function addClass(store: Store, principals: string, id: number): void {
  store.exec(
    `INSERT INTO access_class_principals (principal, block, classes) SELECT value, ?2, ?3 FROM json_each(?1) WHERE true
     ON CONFLICT (principal, block) DO UPDATE SET classes = CAST(classes || excluded.classes AS BLOB)`,
    principals,
    blockOf(id),
    bytesOfClasses([id]),
  );
}

/** Removes a class from the principals that it named. @param principals a JSON array of ids */
export function removeClass(store: Store, principals: string, id: number): void {
  const blocks = store.exec<{ principal: number; classes: ArrayBuffer | Uint8Array }>(
    `SELECT c.principal, c.classes FROM json_each(?1) p CROSS JOIN access_class_principals c ON c.principal = p.value AND c.block = ?2`,
    principals,
    blockOf(id),
  );
  for (const { principal, classes } of blocks) {
    const left = classesIn(classes).filter((one) => one !== id);
    const key = [principal, blockOf(id)] as const;
    if (left.length === 0)
      store.exec("DELETE FROM access_class_principals WHERE principal = ?1 AND block = ?2", ...key);
    else
      store.exec(
        "UPDATE access_class_principals SET classes = ?3 WHERE principal = ?1 AND block = ?2",
        ...key,
        bytesOfClasses(left),
      );
  }
}

/** Yields the classes that name any of the principals. Some come more than once. */
export function* classesWith(store: Store, principals: readonly number[]): Generator<Uint32Array> {
  const values = store.exec<{ classes: ArrayBuffer | Uint8Array }>(
    // To SQLite, both texts and blobs are bytes, but it concatenates only texts.
    `SELECT CAST(group_concat(c.classes, '') AS BLOB) AS classes
     FROM json_each(?1) p CROSS JOIN access_class_principals c ON c.principal = p.value
     GROUP BY p.key / ${PRINCIPALS_A_VALUE}, c.block / ${BLOCKS_A_VALUE}`,
    JSON.stringify(principals),
  );
  for (const { classes } of values) yield classesIn(classes);
}

function blockOf(id: number): number {
  return Math.floor(id / BLOCK_CLASSES);
}

function classesIn(blob: ArrayBuffer | Uint8Array): Uint32Array<ArrayBuffer> {
  return new Uint32Array(bytesOf(blob).slice().buffer);
}

function bytesOfClasses(classes: Iterable<number>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Uint32Array.from(classes).buffer);
}
