/** The requests of the bench to its Worker. */
export type BenchRequest =
  | { readonly act: "floor" }
  /** Puts the object to sleep. */
  | { readonly act: "sleep" }
  /** Searches; `instance` selects another object. */
  | { readonly act: "find"; readonly person: string; readonly query: string; readonly instance?: number }
  | { readonly act: "find naively"; readonly person: string; readonly query: string; readonly isPhrase: boolean }
  /** Prepares documents, and returns the number of steps in which they are written. */
  | { readonly act: "prepare"; readonly from: number; readonly until: number; readonly isFirst: boolean }
  /** Writes the next step, and returns how many documents it had. */
  | { readonly act: "take part" }
  | { readonly act: "write rights" }
  | { readonly act: "stats" };
