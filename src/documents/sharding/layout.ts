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

/** Jurisdictions that the platform guarantees objects not to leave. */
export const JURISDICTIONS = ["eu", "fedramp"] as const;

/** Regions near which the platform creates objects if it can. */
export const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

/** Where objects are. */
export type Where = (typeof JURISDICTIONS)[number] | (typeof REGIONS)[number];

/** Checks whether a text names a jurisdiction or a region. */
export function isWhere(text: string): text is Where {
  return [...JURISDICTIONS, ...REGIONS].some((where) => where === text);
}

/** Checks whether a place is a jurisdiction, which documents must not leave. */
export function isJurisdiction(where: Where | null): boolean {
  return JURISDICTIONS.some((one) => one === where);
}

/** Which part of an instance's documents an object has. */
export interface ObjectPart {
  readonly instanceId: number;
  readonly shards: number;
  readonly shard: number;
  /** `null`: wherever the platform created it. */
  readonly where: Where | null;
}

/** Returns the name of an object. The object of an instance that was never split or placed has the instance's id as its name. */
export function objectName({ instanceId, shards, shard, where }: ObjectPart): string {
  const instance = where === null ? String(instanceId) : `${instanceId}@${where}`;
  return shards === 1 ? instance : `${instance}/${shards}/${shard}`;
}

/** Returns what {@link objectName} was given. */
export function partOf(name: string): ObjectPart {
  const [instance = "", shards = "1", shard = "0"] = name.split("/");
  const [instanceId, where = ""] = instance.split("@");
  return {
    instanceId: Number(instanceId),
    shards: Number(shards),
    shard: Number(shard),
    where: isWhere(where) ? where : null,
  };
}

/** An object's namespace, as far as this room uses it. */
export type ObjectNamespace = Pick<DurableObjectNamespace, "getByName" | "jurisdiction">;

/**
 * Returns an object. The first call creates it. Its id depends on its jurisdiction, so the same name in another is another object.
 *
 * @param areUnrestricted whether jurisdictions are ignored, because the local runtime has none
 */
export function objectIn(namespace: ObjectNamespace, part: ObjectPart, areUnrestricted: boolean): unknown {
  const { where } = part;
  const jurisdiction = JURISDICTIONS.find((one) => one === where);
  const locationHint = REGIONS.find((one) => one === where);
  const restricted = jurisdiction && !areUnrestricted ? namespace.jurisdiction(jurisdiction) : namespace;
  return restricted.getByName(objectName(part), locationHint && { locationHint });
}
