import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import type { RegisteredIssuer } from "#issuers/external-issuer.ts";
import { listOf } from "#platform/listing.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { type AdminOperations, type AnyCall, deciding, lists, nullsToDefaults, taking } from "./operation.ts";

/** A draft may have any content. The rules say what is wrong with it, field by field. */
const issuerDraft = v.looseObject({});

export const ISSUER_OPERATIONS: AdminOperations = {
  "GET /issuers": lists(
    { filters: { isDisabled: ["true", "false"] }, sorts: ["issuer", "name", "createdAt"] },
    async ({ reads, instance, query }) =>
      listOf((await reads.externalIssuers.list(instance.id)).map(shown), query, (each) => each.issuer),
  ),
  "POST /issuers": taking(issuerDraft, {
    act: "issuers.add",
    creates: true,
    run: async ({ administration, body }) => shown(await administration.issuers.add(draftOf(body))),
  }),
  "GET /issuers/:issuer": {
    refusals: [404],
    run: async (call) => shown(await issuerOf(call)),
  },
  "PUT /issuers/:issuer": taking(issuerDraft, {
    act: "issuers.register",
    refusals: [412],
    run: async ({ administration, body, path, isConditional, requireUnchanged }) =>
      shown(
        await administration.issuers.register(
          { ...draftOf(body, path("issuer")), issuer: path("issuer") },
          isConditional ? (before) => requireUnchanged(before && shown(before)) : undefined,
        ),
      ),
  }),
  "PATCH /issuers/:issuer": taking(issuerDraft, {
    act: "issuers.edit",
    refusals: [404, 412],
    run: async (call) => {
      const { administration, body, path, isConditional, requireUnchanged } = call;
      if (!isConditional) await issuerOf(call);
      return shown(
        await administration.issuers.edit(path("issuer"), draftOf(body, path("issuer")), (before) =>
          requireUnchanged(before && shown(before)),
        ),
      );
    },
  }),
  "DELETE /issuers/:issuer": deciding("issuers.remove", issuerOf, ({ administration }, { configuration }) =>
    administration.issuers.remove(configuration.issuer).then(() => true),
  ),
  "POST /issuers/:issuer/disable": deciding("issuers.disable", issuerOf, ({ administration }, { configuration }) =>
    administration.issuers.disable(configuration.issuer),
  ),
  "POST /issuers/:issuer/enable": deciding("issuers.enable", issuerOf, ({ administration }, { configuration }) =>
    administration.issuers.enable(configuration.issuer),
  ),
};

/** Returns the identity provider in the path. @throws {ApiError} `not_found` */
export function issuerOf({ reads, instance, path }: AnyCall): Promise<RegisteredIssuer> {
  return reads.externalIssuers.require(instance, path("issuer"));
}

function shown({ configuration, text: _text, ...rest }: RegisteredIssuer) {
  return { ...configuration, ...rest };
}

/**
 * Reads a configuration. Members that a response has in addition to it are ignored, so that an issuer can be sent as it was read.
 *
 * @param named the issuer in the path
 * @throws {ApiError} `bad_request` if the body names another one
 */
function draftOf(body: object, named?: string) {
  if (named !== undefined && "issuer" in body && body.issuer !== named) {
    const description = "The issuer is not the one in the path: leave it out, or register another identity provider";
    throw new ApiError("bad_request", { reason: "admin_request_malformed", field: "issuer", description });
  }
  const { createdAt: _at, changedAt: _then, isDisabled: _is, ...given } = body as Readonly<Record<string, unknown>>;
  return nullsToDefaults(given) as unknown as IssuerDraft;
}
