import { stateOf, type Store } from "./store.ts";

/** Returns a number that changes when the clean-up begins or ends to give documents other ids (upkeep/compact.ts). */
export function rowIdsVersion(store: Store): number {
  return stateOf(store, "trimmed") * 2 + (stateOf(store, "compacting") > 0 ? 1 : 0);
}

/** Returns a text that also changes with each step in between. */
export function rowIdsStep(store: Store): string {
  return `${stateOf(store, "trimmed")} ${stateOf(store, "compacting")}`;
}
