import type { ExternalIssuer } from "./external-issuer.ts";
import { failed, type Finding, ok, reasonOf } from "#platform/finding.ts";
import type { IssuerDocuments } from "./issuer-documents.ts";
import { findKey } from "./key-set.ts";

const KEYS = "Keys of the issuer";

/**
 * Tells an administrator at once what the gate would find with the first token: fetches an issuer's keys as the gate does, and
 * stores nothing.
 *
 * @returns findings; a failed one is the reason why tokens will be refused. Never throws: an issuer that is down may be registered too
 */
export async function checkIssuer(documents: IssuerDocuments, configuration: ExternalIssuer): Promise<Finding[]> {
  const { algorithms, issuer } = configuration;
  try {
    const jwksUri = await documents.locateKeys(configuration);
    const keys = await documents.fetchKeys(jwksUri);
    const usable = algorithms.map((algorithm) => ({
      algorithm,
      count: keys.filter((key) => findKey([key], String(key["kid"]), algorithm)).length,
    }));
    const found = usable.map(({ algorithm, count }) => `${count} for ${algorithm}`).join(", ");
    const fetched = ok(KEYS, `Its keys are at ${jwksUri}: ${keys.length}, of them ${found}.`);
    if (usable.some(({ count }) => count > 0)) return [fetched];
    const meaning = `None of these keys can sign with ${algorithms.join(" or ")}, so every token is refused.`;
    return [fetched, failed(KEYS, meaning, "Set the algorithm that the issuer signs with.")];
  } catch (error) {
    const meaning = `The keys of ${issuer} cannot be fetched now (${reasonOf(error)}). Tokens are refused until this works.`;
    const remedy = "Check that the issuer matches its discovery document exactly, or set the URL of its keys.";
    return [failed(KEYS, meaning, remedy)];
  }
}
