import { found } from "#administration/found.ts";
import { describeReport } from "#audit/audit-log.ts";
import { AUDIT_LIST } from "#audit/audit-list.ts";
import { STEPS } from "#connection-attempts/connection-step.ts";
import { toGroupSchema } from "#custom-metadata/group-schema.ts";
import type { FoundGroup } from "#custom-metadata/group-directory.ts";
import { parseGroupName } from "#custom-metadata/names.ts";
import { groupSchemaSchema, parseDescription } from "#custom-metadata/schema-request.ts";
import { listOf } from "#platform/listing.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { changed, flag, integer, lists, outcome, seconds, text } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";

const documents = v.object({ count: integer, isCapped: flag });
const group = v.object({ ...groupSchemaSchema.entries, name: text, documents, createdAt: seconds });
const listedGroup = v.object({ name: text, keys: v.number(), documents, createdAt: seconds });

const entry = v.object({
  sequence: integer,
  at: seconds,
  actor: text,
  actorKind: v.nullable(v.picklist(["person", "token"])),
  actorName: v.pipe(v.nullable(text), v.description("A person's email, or a token's name")),
  event: text,
  detail: v.record(text, v.unknown()),
  hash: v.nullable(text),
});

const attempt = v.object({
  id: text,
  at: seconds,
  clientId: v.nullable(text),
  grantId: v.nullable(text),
  network: v.nullable(text),
  steps: v.array(
    v.object({
      at: seconds,
      requestId: text,
      step: v.picklist(STEPS),
      reason: v.nullable(text),
      message: v.nullable(text),
    }),
  ),
});

/** Groups of custom metadata, the audit, and how apps connected lately. */
export const CONTENT_OPERATIONS: AdminOperations = {
  "GET /metadata-groups": lists(
    { filters: {}, sorts: ["name", "createdAt"] },
    listedGroup,
    "List groups of custom metadata",
    async ({ reads, instance, query }) => {
      const groups = await reads.metadataGroups.list(instance.id);
      const items = groups.map(({ display, keys, documents: counted, createdAt }) => ({
        name: display,
        keys,
        documents: counted,
        createdAt,
      }));
      return listOf(items, query, ({ name }) => name);
    },
  ),
  "GET /metadata-groups/:groupName": {
    summary: "Read a group of custom metadata",
    answer: group,
    unversioned: ["documents", "createdAt"],
    refusals: [404],
    run: (call) => groupOf(call),
  },
  "POST /metadata-groups/:groupName": taking(groupSchemaSchema, {
    summary: "Create a group of custom metadata that is not there yet",
    act: "metadata.create",
    creates: true,
    answer: group,
    refusals: [409],
    run: async (call) => {
      const { administration, instance, actor, body, path } = call;
      await administration.metadata.create(instance, parseDescription(path("groupName"), body), actor);
      return groupOf(call);
    },
  }),
  "PUT /metadata-groups/:groupName": taking(groupSchemaSchema, {
    summary: "Describe a group of custom metadata, or replace its keys",
    description: "You can't change the type of a key. Keys that you leave out are removed with their values.",
    act: "metadata.replace",
    answer: group,
    refusals: [409, 412],
    run: async (call) => {
      const { administration, instance, actor, body, path, isConditional, requireUnchanged } = call;
      const description = parseDescription(path("groupName"), body);
      await administration.metadata.replace(
        instance,
        description,
        actor,
        isConditional
          ? (seen) => requireUnchanged(seen && { name: seen.display, ...toGroupSchema(seen.keys) })
          : undefined,
      );
      return groupOf(call);
    },
  }),
  "DELETE /metadata-groups/:groupName": {
    summary: "Delete a group of custom metadata, with its values",
    act: "metadata.remove",
    answer: outcome,
    refusals: [404],
    run: ({ administration, instance, actor, path }) =>
      changed(administration.metadata.remove(instance, parseGroupName(path("groupName")), actor).then(() => true)),
  },
  "GET /audit": lists(AUDIT_LIST, entry, "List who decided what", async ({ reads, instance, query }) => {
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
    summary: "Verify the chain of the audit, part by part",
    description: "Call it with `after` until `next` is null. `message` says where the first broken link is.",
    parameters: { after: "The `next` of the part before; left out, the first part" },
    answer: v.object({ isWhole: flag, message: text, entries: integer, next: v.nullable(integer) }),
    run: async ({ reads, instance, parameter }) => {
      const report = await reads.audit.verifyPart(instance.id, readPlace(parameter("after")));
      const { broken, entries, next } = report;
      return { isWhole: broken === undefined, message: broken ?? describeReport(report, "These"), entries, next };
    },
  },
  "GET /audit/delivery": {
    summary: "Read the state of the delivery of audit entries",
    description: "The receiver is the setting `auditReceiver`. The answer is 404 if there is none.",
    answer: v.object({
      receiver: text,
      hasAuthorization: flag,
      deliveredThrough: integer,
      deliveredAt: v.nullable(seconds),
      failures: integer,
      lastError: v.nullable(text),
      nextAt: seconds,
      waiting: integer,
      lagSeconds: integer,
    }),
    refusals: [404],
    run: ({ reads, instance }) => found(reads.auditDelivery.state(instance.id), "audit receiver"),
  },
  "PUT /audit/delivery/authorization": taking(v.strictObject({ authorization: v.nullable(text) }), {
    summary: "Set the Authorization header of deliveries, or remove it with null",
    description: "It is sent to the present receiver alone, and never shown again.",
    act: "audit.authorizeReceiver",
    answer: outcome,
    run: ({ administration, instance, actor, body }) =>
      changed(administration.audit.authorizeReceiver(instance, body.authorization, actor)),
  }),
  "GET /connection-attempts": lists(
    { filters: { clientId: null, network: null }, sorts: ["at"], isNewestFirst: true },
    attempt,
    "List how apps connected lately, step by step",
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

/** @throws {ApiError} `bad_request` */
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
