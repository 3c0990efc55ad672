import { parseDocumentName } from "#documents/document-name.ts";
import type { ContentCondition } from "#documents/engine.ts";
import type { AccessExplanation, AccessExplanations, Standing } from "#documents/find/access/access.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Seers } from "./seers.ts";

/** A person's groups, as they apply now. */
export interface PersonStanding extends Standing {
  /** Folded names of groups that a directory provisions, or from the last sign-in. */
  readonly directoryGroups: readonly string[];
}

/** Explains what people may see, and why. Every check reads the person again. */
export class AccessCheck {
  readonly #documents: AccessExplanations;
  readonly #seers: Pick<Seers, "byEmail">;

  constructor(documents: AccessExplanations, seers: Pick<Seers, "byEmail">) {
    this.#documents = documents;
    this.#seers = seers;
  }

  /**
   * Explains whether the person with an email address may see a document. For a deactivated person, it explains what they could see
   * if they were active.
   *
   * @param document `datasource:id`, or its URL
   * @param content what the app that they use may search
   * @throws {ApiError} `not_found` if there is no such document
   */
  async explain(
    instanceId: number,
    email: string,
    document: string,
    content: readonly ContentCondition[],
  ): Promise<AccessExplanation & { readonly isDeactivated: boolean }> {
    const seer = await this.#seers.byEmail(instanceId, email);
    const known = { ...(seer ?? { email, directoryGroups: [] }), content };
    const explained = await this.#documents.explainAccess(instanceId, parseDocumentName(document.trim()), known);
    if (explained) return { ...explained, isAllowed: explained.isAllowed && seer !== null, isDeactivated: !seer };
    const description = "There is no such document: give its URL, or its datasource and id, such as wiki:42";
    throw new ApiError("not_found", { reason: "document_unknown", description });
  }

  /** Returns the groups of the person with an email address; `null` if they are deactivated. */
  async standingOf(instanceId: number, email: string): Promise<PersonStanding | null> {
    const seer = await this.#seers.byEmail(instanceId, email);
    if (!seer) return null;
    return { directoryGroups: seer.directoryGroups, ...(await this.#documents.standingOf(instanceId, seer)) };
  }
}
