/** A directory, with the number of its users and groups. */
export interface DirectoryCounts {
  readonly name: string;
  readonly users: number;
  readonly groups: number;
}

export interface DirectoryCounter {
  /** Returns the directories of an instance that have users or groups, by name. */
  counts(instanceId: number): Promise<DirectoryCounts[]>;
}
