import { foldName } from "./folding.ts";
import { METADATA_NAME } from "./metadata-name.ts";

/** The kind of data that an indexing token may write: documents of a datasource, or custom metadata of a metadata group. */
export type IndexingFamily = "documents" | "custommetadata";

export interface IndexingScope {
  readonly family: IndexingFamily;
  /** A datasource's or group's name, in any case, or `global_scope` for all of them. */
  readonly target: string;
}

export const EVERY_TARGET = "global_scope";

/** The names that targets of each family can have: a name that cannot exist cannot be covered either. */
const TARGETS: Readonly<Record<IndexingFamily, RegExp>> = {
  documents: /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/,
  custommetadata: METADATA_NAME,
};

/** Parses a scope: `documents:<datasource>`, `custommetadata:<group>`, or one of these with `global_scope` in place of the name. */
export function parseIndexingScope(word: string): IndexingScope | undefined {
  const [family, target, ...rest] = word.split(":");
  if ((family !== "documents" && family !== "custommetadata") || target === undefined || rest.length > 0) {
    return undefined;
  }
  if (target === EVERY_TARGET) return { family, target };
  // In another case, it would look like all targets and mean a datasource of that name.
  if (target.toLowerCase() === EVERY_TARGET) return undefined;
  return TARGETS[family].test(target) ? { family, target } : undefined;
}

/** Checks whether a scope covers one target, whose name may be in any case. */
export function coversTarget(scope: IndexingScope, family: IndexingFamily, target: string): boolean {
  if (scope.family !== family) return false;
  return scope.target === EVERY_TARGET || foldName(scope.target) === foldName(target);
}

/** Returns the scopes that cover one target, in lower case. */
export function scopesCovering(family: IndexingFamily, target: string): string[] {
  return [`${family}:${EVERY_TARGET}`, `${family}:${foldName(target)}`];
}
