/** Somebody who can sign in at the local SSO. */
export interface Person {
  /** The OpenID Connect subject, which never changes and is never shown. */
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  /** Absent means verified. A test may add somebody whose address was never verified. */
  readonly emailVerified?: boolean;
  /** What the person does, in a few words; only the picker shows it. */
  readonly job: string;
  readonly groups: readonly string[];
}

/**
 * Those of the sample organisation "Acme" (`sample/acme`) who can sign in, few enough to know by heart and varied enough to show
 * permissions: somebody in three groups, somebody in none, and an administrator whose role opens the console but no document.
 */
export const people: readonly Person[] = [
  {
    sub: "ada",
    name: "Ada Marlow",
    email: "ada@acme.example",
    job: "Administrator of Gatehouse",
    groups: ["operations"],
  },
  { sub: "ben", name: "Ben Okafor", email: "ben@acme.example", job: "Software engineer", groups: ["engineering"] },
  { sub: "carla", name: "Carla Reyes", email: "carla@acme.example", job: "Financial controller", groups: ["finance"] },
  {
    sub: "deniz",
    name: "Deniz Aydin",
    email: "deniz@acme.example",
    job: "Engineering manager",
    groups: ["engineering"],
  },
  {
    sub: "elin",
    name: "Elin Sandberg",
    email: "elin@acme.example",
    job: "Chief of staff",
    groups: ["engineering", "finance", "leadership"],
  },
  { sub: "greta", name: "Greta Lindner", email: "greta@acme.example", job: "Account manager", groups: ["sales"] },
  { sub: "farid", name: "Farid Haddad", email: "farid@acme.example", job: "Contractor", groups: [] },
];
