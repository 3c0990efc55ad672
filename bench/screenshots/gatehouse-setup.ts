import { indexDocuments } from "../../scripts/local/index-documents.ts";
import { readSample } from "../../scripts/local/sample.ts";
import { setupWith } from "../../test/support/node/running-gatehouse.ts";

/** Starts a Gatehouse with the documents that `npm start` has. */
export const setup = setupWith(async (target) => indexDocuments(target, await readSample(), () => undefined));
