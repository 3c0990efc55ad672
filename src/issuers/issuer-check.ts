import type { ExternalIssuer } from "./external-issuer.ts";
import { describeError } from "#platform/log.ts";
import type { IssuerDocuments } from "./issuer-documents.ts";
import { findKey } from "./key-set.ts";

/** Tells an administrator, at once, what the gate would find when the first token comes. */
export class IssuerCheck {
  readonly #documents: IssuerDocuments;

  constructor(documents: IssuerDocuments) {
    this.#documents = documents;
  }

  /**
   * Fetches an issuer's keys as the gate does, and keeps nothing.
   *
   * @returns sentences; those that begin with "Mind:" say why tokens will be refused. Never throws: an issuer that is down today
   *   may be registered today
   */
  async describe(configuration: ExternalIssuer): Promise<string[]> {
    const { algorithms, issuer } = configuration;
    try {
      const location = await this.#documents.locateKeys(configuration);
      const keys = await this.#documents.fetchKeys(location);
      const usable = algorithms.map((algorithm) => ({
        algorithm,
        count: keys.filter((key) => findKey([key], String(key["kid"]), algorithm)).length,
      }));
      const found = usable.map(({ algorithm, count }) => `${count} for ${algorithm}`).join(", ");
      const sentences = [`Its keys are at ${location.jwksUri}: ${keys.length}, of them ${found}.`];
      if (usable.every(({ count }) => count === 0)) {
        sentences.push(
          `Mind: none of these keys signs with ${algorithms.join(" or ")}, so every token is refused: name the algorithm that it signs with.`,
        );
      }
      return sentences;
    } catch (error) {
      return [
        `Mind: the keys of ${issuer} cannot be fetched now (${describeError(error)}). Tokens are refused until they can: compare the issuer with its discovery document, byte for byte, or give the keys' URL.`,
      ];
    }
  }
}
