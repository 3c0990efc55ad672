import type { DocumentName, Principal, Seer } from "#documents/engine.ts";

/** Why people may see documents or may not: for administrators who look into it. */
export interface AccessExplanations {
  /** `null`: there is no such document. Of several with one URL, the one that the person is shown, or else the oldest. */
  explainAccess(instanceId: number, name: DocumentName, seer: Seer): Promise<AccessExplanation | null>;
  /** The groups that somebody holds, and the datasources that know them. */
  standingOf(instanceId: number, seer: Seer): Promise<Standing>;
}

export interface AccessExplanation {
  readonly datasource: string;
  readonly externalId: string;
  readonly title: string;
  readonly url: string;
  /** The verdict of every search and read. */
  readonly isAllowed: boolean;
  /** Whom the permissions name, those first that let the person in; none: nobody. No more than a page shows. */
  readonly rules: readonly AccessRule[];
  /** How many the permissions name in all. */
  readonly ruleCount: number;
}

/** One of those whom a document's permissions name. */
export interface AccessRule {
  readonly principal: Principal;
  readonly isHeld: boolean;
  /** The group, or the groups of the intersection; none for the other kinds. */
  readonly groups: readonly GroupStanding[];
}

/** A group, and how somebody came to hold it. */
export interface GroupStanding {
  readonly name: string;
  /** `null`: they do not hold it. */
  readonly source: GroupSource | null;
}

export interface GroupSource {
  /** By the directory, as a user of the datasource, or by email where the datasource has no such user. */
  readonly by: "directory" | "user" | "email";
  /** The directory's group, the datasource's id of the user, or the email. */
  readonly member: string;
  /** The groups on the way, from that member up to the group itself. */
  readonly path: readonly string[];
}

export interface Standing {
  /** The datasources that have users of this email, and whether one of these is active. */
  readonly datasources: readonly { readonly name: string; readonly isActive: boolean }[];
  /** Groups that datasources describe, with where each comes from. No more than a page shows. */
  readonly groups: readonly { readonly datasource: string; readonly name: string; readonly source: GroupSource }[];
  readonly groupCount: number;
}
