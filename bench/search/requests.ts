/** What the bench asks of its Worker. */
export type BenchRequest =
  | { readonly act: "floor" }
  /** Of another object, where one is named. */
  | { readonly act: "find"; readonly person: string; readonly query: string; readonly instance?: number }
  | { readonly act: "find naively"; readonly person: string; readonly query: string; readonly isPhrase: boolean }
  /** Makes documents, and answers in how many steps they are written. */
  | { readonly act: "prepare"; readonly from: number; readonly until: number; readonly isFirst: boolean }
  /** Writes the next step, and answers how many documents it had. */
  | { readonly act: "take part" }
  | { readonly act: "write rights" }
  | { readonly act: "stats" };
