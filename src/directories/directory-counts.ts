/** A directory, and how much it provisions. */
export interface DirectoryCounts {
  readonly name: string;
  readonly users: number;
  readonly groups: number;
}

export interface DirectoryCounter {
  /** The directories of an instance that provision anybody, by name. */
  counts(instanceId: number): Promise<DirectoryCounts[]>;
}
