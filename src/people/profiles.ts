/** The facts about a person that the person's own apps may get. */
export interface Profile {
  readonly email: string;
  /** `null` for a person who has not signed in yet, or if the sign-in has no name. */
  readonly name: string | null;
}

export interface Profiles {
  /** Returns a person's profile; `null` if there is no such person. */
  read(instanceId: number, personId: string): Promise<Profile | null>;
}
