import type { Seer } from "#documents/engine.ts";
import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";
import { noSuchDocument } from "#indexing-api/refusals.ts";
import { covered } from "#indexing-api/request.ts";
import { question, readUpdate } from "./requests.ts";

/** Stands for somebody deactivated, so that the answer still tells a document that does not exist. */
const NOBODY: Seer = { email: "", directoryGroups: [] };

/** POST …/updatepermissions */
export const updatePermissionsEndpoint = indexingCall(
  readUpdate,
  async ({ documents }, instanceId, change) => {
    const [outcome] = await documents.apply(instanceId, [change]);
    if (outcome === "no_document") throw noSuchDocument(change.datasource, change.externalId);
  },
  { bytesMax: DOCUMENTS_BYTES_MAX },
);

/**
 * POST …/checkdocumentaccess: whether a search by the person with this email can find the document. For someone who has
 * never signed in it answers as at their first sign-in, without groups of the directory, which nobody knows yet.
 */
export const checkDocumentAccessEndpoint = indexingCall(
  covered(question),
  async ({ documents, seers }, instanceId, { datasource, docId: externalId, userEmail }) => {
    const seer = (await seers.byEmail(instanceId, userEmail)) ?? NOBODY;
    const hasAccess = await documents.maySee(instanceId, datasource, externalId, seer);
    if (hasAccess === undefined) throw noSuchDocument(datasource, externalId);
    return { hasAccess: hasAccess && seer !== NOBODY };
  },
);
