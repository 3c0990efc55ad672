import type { StoredGlossary } from "#glossary/glossaries.d1.ts";
import { found } from "#administration/found.ts";
import { describeReport } from "#audit/chain-verification.ts";
import { AUDIT_LIST } from "#audit/audit-list.ts";
import { toGroupSchema } from "#custom-metadata/group-schema.ts";
import type { FoundGroup } from "#custom-metadata/group-directory.ts";
import { parseGroupName } from "#custom-metadata/names.ts";
import { groupSchemaSchema, parseDescription } from "#custom-metadata/schema-request.ts";
import { GLOSSARY_MEMBERS } from "#glossary/glossary-members.ts";
import { schemasOf } from "#platform/described-members.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { text } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, lists, taking } from "./operation.ts";

/** What a held upload replaces. */
const heldTarget = v.strictObject({
  datasource: text,
  kind: v.optional(v.picklist(["documents", "users", "groups", "memberships"]), "documents"),
  groupName: v.optional(text, ""),
});

/** Operations about what uploads remove, groups of custom metadata, the audit, and recent connection attempts of apps. */
export const CONTENT_OPERATIONS: AdminOperations = {
  "GET /metadata-groups": lists({ filters: {}, sorts: ["name", "createdAt"] }, async ({ reads, instance, query }) => {
    const groups = await reads.metadataGroups.list(instance.id);
    const items = groups.map(({ display, keys, documents: counted, createdAt }) => ({
      name: display,
      keys,
      documents: counted,
      createdAt,
    }));
    return listOf(items, query, ({ name }) => name);
  }),
  "GET /metadata-groups/:groupName": {
    unversioned: ["documents", "createdAt"],
    refusals: [404],
    run: (call) => groupOf(call),
  },
  "POST /metadata-groups/:groupName": taking(groupSchemaSchema, {
    act: "metadata.create",
    creates: true,
    refusals: [409],
    run: async (call) => {
      const { administration, body, path } = call;
      await administration.metadata.create(parseDescription(path("groupName"), body));
      return groupOf(call);
    },
  }),
  "PUT /metadata-groups/:groupName": taking(groupSchemaSchema, {
    act: "metadata.replace",
    refusals: [409, 412],
    run: async (call) => {
      const { administration, body, path, isConditional, requireUnchanged } = call;
      const description = parseDescription(path("groupName"), body);
      await administration.metadata.replace(
        description,
        isConditional
          ? (seen) => requireUnchanged(seen && { name: seen.display, ...toGroupSchema(seen.keys) })
          : undefined,
      );
      return groupOf(call);
    },
  }),
  "DELETE /metadata-groups/:groupName": {
    act: "metadata.remove",
    refusals: [404],
    run: ({ administration, path }) =>
      changed(administration.metadata.remove(parseGroupName(path("groupName"))).then(() => true)),
  },
  "GET /glossary": { run: async ({ reads, instance }) => shownGlossary(await reads.glossaries.read(instance.id)) },
  "PUT /glossary": taking(closed({ entries: v.array(closed(schemasOf(GLOSSARY_MEMBERS))) }), {
    act: "glossary.replace",
    refusals: [412],
    run: async ({ administration, reads, instance, body, requireUnchanged }) => {
      await administration.glossary.replace(body.entries, (seen) => requireUnchanged(shownGlossary(seen)));
      return shownGlossary(await reads.glossaries.read(instance.id));
    },
  }),
  "GET /held-removals": lists({ filters: {}, sorts: ["heldUntil"] }, async ({ reads, instance, query }) => {
    const { held } = await reads.documents.stats(instance.id);
    const items = held.map(({ datasource, kind, groupName, uploadId, stale, total, heldUntil, examples }) => {
      return { datasource, kind, groupName, uploadId, stale, total, heldUntil, examples };
    });
    return listOf(items, query, ({ datasource, kind, groupName }) => JSON.stringify([datasource, kind, groupName]));
  }),
  "POST /held-removals/remove": taking(heldTarget, {
    act: "content.removeHeld",
    run: ({ administration, body }) => changed(administration.content.removeHeld(body)),
  }),
  "POST /held-removals/discard": taking(heldTarget, {
    act: "content.discardHeld",
    run: ({ administration, body }) => changed(administration.content.discardHeld(body)),
  }),
  "GET /removed-documents": lists({ filters: {}, sorts: ["datasource"] }, async ({ reads, instance, query }) =>
    listOf(await reads.documents.removedDocuments(instance.id), query, ({ datasource }) => datasource),
  ),
  "POST /removed-documents/bring-back": taking(v.strictObject({ datasource: text }), {
    act: "content.bringBack",
    run: ({ administration, body }) => changed(administration.content.bringBack(body.datasource)),
  }),
  "POST /removed-documents/erase": taking(v.strictObject({ datasource: text }), {
    act: "content.eraseRemoved",
    run: ({ administration, body }) => changed(administration.content.eraseRemoved(body.datasource)),
  }),
  "GET /audit": lists(AUDIT_LIST, async ({ reads, instance, query }) => {
    const page = await reads.audit.list(instance.id, query);
    const actors = [...new Set(page.items.map(({ actor }) => actor))];
    const tokens = await reads.issuedTokens.namesOf(instance.id, actors);
    const people = await reads.people.emailsOf(instance.id, actors);
    const items = page.items.map(({ sequence, at, actor, event, detail, seal }) => ({
      sequence,
      at,
      actor,
      actorKind: people.has(actor) ? ("person" as const) : tokens.has(actor) ? ("token" as const) : null,
      actorName: people.get(actor) ?? tokens.get(actor) ?? null,
      event,
      detail,
      hash: seal?.hash ?? null,
    }));
    return { ...page, items };
  }),
  "GET /audit/verification": {
    parameters: { after: "The `next` of the previous part; without it, the first part is checked" },
    run: async ({ reads, instance, parameter }) => {
      const report = await reads.auditVerification.verifyPart(instance.id, readPlace(parameter("after")));
      const { broken, entries, next } = report;
      return { isWhole: broken === undefined, message: broken ?? describeReport(report, "These"), entries, next };
    },
  },
  "GET /audit/delivery": {
    refusals: [404],
    run: ({ reads, instance }) => found(reads.auditDelivery.state(instance.id), "audit receiver"),
  },
  "PUT /audit/delivery/authorization": taking(v.strictObject({ authorization: v.nullable(text) }), {
    act: "audit.authorizeReceiver",
    run: ({ administration, body }) => changed(administration.audit.authorizeReceiver(body.authorization)),
  }),
  "GET /connection-attempts": lists(
    { filters: { clientId: null, network: null }, sorts: ["at"], isNewestFirst: true },
    async ({ reads, instance, query }) => {
      const attempts = await reads.connectionAttempts.recent(instance.id);
      const items = attempts.map(({ steps, ...rest }) => ({
        id: steps[0]?.requestId ?? "",
        at: steps.at(-1)?.at ?? 0,
        ...rest,
        steps: steps.map(({ at, requestId, step, reason, message }) => ({ at, requestId, step, reason, message })),
      }));
      return listOf(items, query, ({ id }) => id);
    },
  ),
};

/** Parses a sequence number. @throws {ApiError} `bad_request` */
function readPlace(after = "0"): number {
  if (/^\d{1,15}$/.test(after)) return Number(after);
  const description = "after is the next of the part before: a number";
  throw new ApiError("bad_request", { reason: "admin_request_malformed", field: "after", description });
}

async function groupOf({ reads, instance, path }: AnyCall) {
  const stored: FoundGroup = await reads.metadataGroups.require(instance.id, path("groupName"));
  return {
    name: stored.display,
    ...toGroupSchema(stored.keys),
    documents: stored.documents,
    createdAt: stored.createdAt,
  };
}

function shownGlossary({ entries, changedAt }: StoredGlossary) {
  return { entries, changedAt };
}
