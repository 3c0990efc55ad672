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
  /** Writes `of` documents again and again. Short ones have only a title of one word. */
  | {
      readonly act: "edit";
      readonly from: number;
      readonly until: number;
      readonly of: number;
      readonly isShort: boolean;
    }
  | { readonly act: "write rights" }
  | { readonly act: "stats" };
