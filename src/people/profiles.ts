/** What a person's own apps may be told of them. */
export interface Profile {
  readonly email: string;
  /** `null` for a person who has not signed in yet, or whose sign-in gives no name. */
  readonly name: string | null;
}

export interface Profiles {
  /** `null` when there is no such person. */
  read(instanceId: number, personId: string): Promise<Profile | null>;
}
