import type { DocumentName, Principal, Seer } from "#documents/engine.ts";

/** Explains to administrators why a person can or can't see a document. */
export interface AccessExplanations {
  /** `null`: there is no such document. If several have the URL, it is the one the person sees, or else the oldest. */
  explainAccess(instanceId: number, name: DocumentName, seer: Seer): Promise<AccessExplanation | null>;
  /** Returns the groups that a person is in, and the datasources that have users with their email. */
  standingOf(instanceId: number, seer: Seer): Promise<Standing>;
}

export interface AccessExplanation {
  readonly datasource: string;
  readonly externalId: string;
  readonly title: string;
  readonly url: string;
  /** The verdict that every search and read comes to. */
  readonly isAllowed: boolean;
  /** Whether the person may see it, and only what their app may search leaves it out. */
  readonly isWithheld: boolean;
  /** The principals in the permissions, those that give access first, as many as a page shows. Empty: nobody has it. */
  readonly rules: readonly AccessRule[];
  /** How many principals the permissions have in total. */
  readonly ruleCount: number;
}

/** A principal in a document's permissions, and whether the person holds it. */
export interface AccessRule {
  readonly principal: Principal;
  readonly isHeld: boolean;
  /** The group, or the groups of the intersection; none for the other kinds. */
  readonly groups: readonly GroupStanding[];
}

/** A group, and how a person is a member of it. */
export interface GroupStanding {
  readonly name: string;
  /** `null`: they are not a member. */
  readonly source: GroupSource | null;
}

export interface GroupSource {
  /** Through the directory, as a user of the datasource, or by email if the datasource has no such user. */
  readonly by: "directory" | "user" | "email";
  /** The directory's group, the datasource's user id, or the email. */
  readonly member: string;
  /** The groups from that member up to the group itself. */
  readonly path: readonly string[];
}

export interface Standing {
  /** The datasources that have users with this email, and whether at least one is active. */
  readonly datasources: readonly { readonly name: string; readonly isActive: boolean }[];
  /** Groups that datasources describe, each with its source, up to what a page shows. */
  readonly groups: readonly { readonly datasource: string; readonly name: string; readonly source: GroupSource }[];
  readonly groupCount: number;
}
