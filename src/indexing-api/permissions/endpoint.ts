import type { Seer } from "#documents/engine.ts";
import { DOCUMENTS_BYTES_MAX, indexingCall } from "#indexing-api/indexing-call-endpoint.ts";
import { noSuchDocument } from "#indexing-api/refusals.ts";
import { covered } from "#indexing-api/request.ts";
import { question, readUpdate } from "./permissions.ts";

/** Stands for a deactivated person, so that the call still tells if a document doesn't exist. */
const NOBODY: Seer = { email: "", directoryGroups: [] };

/** The calls about permissions, by the last part of their path. */
export const permissionCalls = {
  updatepermissions: indexingCall(
    readUpdate,
    async ({ documents }, instanceId, change) => {
      const [outcome] = await documents.apply(instanceId, [change]);
      if (outcome === "no_document") throw noSuchDocument(change.datasource, change.externalId);
    },
    { bytesMax: DOCUMENTS_BYTES_MAX },
  ),
  /**
   * Tells whether a search by the person with this email can find the document. For somebody who has never signed in, the result is
   * that of their first sign-in, without groups of the directory, which are not known yet.
   */
  checkdocumentaccess: indexingCall(
    covered(question),
    async ({ documents, seers }, instanceId, { datasource, docId: externalId, userEmail }) => {
      const seer = (await seers.byEmail(instanceId, userEmail)) ?? NOBODY;
      const hasAccess = await documents.maySee(instanceId, datasource, externalId, seer);
      if (hasAccess === undefined) throw noSuchDocument(datasource, externalId);
      return { hasAccess: hasAccess && seer !== NOBODY };
    },
  ),
};
