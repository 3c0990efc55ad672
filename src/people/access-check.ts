import { parseDocumentName } from "#documents/document-name.ts";
import type { AccessExplanation, AccessExplanations, Standing } from "#documents/find/access.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Seers } from "./seers.ts";

/** A person's groups, as they count now. */
export interface PersonStanding extends Standing {
  /** Folded: those that a directory provisions, or those of the last sign-in. */
  readonly directoryGroups: readonly string[];
}

/** What people may see, and why, as it is now: every check reads the person anew. */
export class AccessCheck {
  readonly #documents: AccessExplanations;
  readonly #seers: Pick<Seers, "byEmail">;

  constructor(documents: AccessExplanations, seers: Pick<Seers, "byEmail">) {
    this.#documents = documents;
    this.#seers = seers;
  }

  /**
   * Whether whoever signs in with an email may see a document; of somebody deactivated, what they could see if they were not.
   *
   * @param document `datasource:id`, or its URL
   * @throws {ApiError} `not_found` where there is no such document
   */
  async explain(
    instanceId: number,
    email: string,
    document: string,
  ): Promise<AccessExplanation & { readonly isDeactivated: boolean }> {
    const seer = await this.#seers.byEmail(instanceId, email);
    const known = seer ?? { email, directoryGroups: [] };
    const explained = await this.#documents.explainAccess(instanceId, parseDocumentName(document.trim()), known);
    if (explained) return { ...explained, isAllowed: explained.isAllowed && seer !== null, isDeactivated: !seer };
    const description = "There is no such document: give its URL, or its datasource and id, such as wiki:42";
    throw new ApiError("not_found", { reason: "document_unknown", description });
  }

  /** The groups of whoever signs in with an email; `null` for somebody deactivated, who has none. */
  async standingOf(instanceId: number, email: string): Promise<PersonStanding | null> {
    const seer = await this.#seers.byEmail(instanceId, email);
    if (!seer) return null;
    return { directoryGroups: seer.directoryGroups, ...(await this.#documents.standingOf(instanceId, seer)) };
  }
}
