/** The numbers of shards that an instance's documents may have: powers of two, so that doubling splits each shard in two. */
export const SHARD_COUNTS = [2, 4, 8, 16, 32, 64] as const;

/**
 * Returns the shard of a document. All documents with one id are in one shard, whatever their datasource, because paths may name a
 * document by its id alone.
 *
 * @param shards a power of two
 */
export function shardOf(externalId: string, shards: number): number {
  // FNV-1a, then the finalizer of MurmurHash3: without it, the low bits would depend only on the low bits of each unit.
  let hash = 0x811c9dc5;
  for (let at = 0; at < externalId.length; at++) hash = Math.imul(hash ^ externalId.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & (shards - 1);
}

/** Which part of an instance's documents an object has. */
export interface ObjectPart {
  readonly instanceId: number;
  readonly shards: number;
  readonly shard: number;
}

/** Returns the name of an object. The object of an instance that was never split has the instance's id as its name. */
export function objectName({ instanceId, shards, shard }: ObjectPart): string {
  return shards === 1 ? String(instanceId) : `${instanceId}/${shards}/${shard}`;
}

/** Returns what {@link objectName} was given. */
export function partOf(name: string): ObjectPart {
  const [instanceId = 0, shards = 1, shard = 0] = name.split("/").map(Number);
  return { instanceId, shards, shard };
}
