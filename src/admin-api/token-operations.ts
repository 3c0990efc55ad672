import { found } from "#administration/found.ts";
import { closed } from "#platform/members.ts";
import { SERVICE_TOKEN_KINDS } from "#service-tokens/service-token.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import * as v from "valibot";
import { flag, integer, text, texts } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, lists, taking } from "./operation.ts";

export const TOKEN_OPERATIONS: AdminOperations = {
  "GET /tokens": lists(TOKEN_LIST, (call) => call.reads.issuedTokens.list(call.instance.id, call.query, call.now)),
  "POST /tokens": taking(
    closed({
      kind: v.picklist(SERVICE_TOKEN_KINDS, `a kind is one of ${SERVICE_TOKEN_KINDS.join(", ")}`),
      name: text,
      scopes: texts,
      person: v.optional(v.nullable(text), null),
      newPerson: v.optional(flag, false),
      lifetimeSeconds: v.optional(v.nullable(v.pipe(integer, v.minValue(1))), null),
      networks: v.optional(texts, []),
    }),
    {
      act: "serviceTokens.issue",
      creates: true,
      run: async (call) => {
        const { administration, body } = call;
        const { newPerson, ...draft } = body;
        const issued = await administration.serviceTokens.issue(draft, newPerson);
        return { token: await tokenOf(call, issued.token.id), secret: issued.secret };
      },
    },
  ),
  "GET /tokens/:id": { refusals: [404], run: (call) => tokenOf(call) },
  "POST /tokens/:id/rotate": taking(closed({ endOthersNow: v.optional(flag, false) }), {
    act: "serviceTokens.rotate",
    creates: true,
    run: async ({ administration, path, body }) => ({
      secret: await administration.serviceTokens.rotate(path("id"), body.endOthersNow),
    }),
  }),
  "POST /tokens/:id/revoke": {
    act: "serviceTokens.revoke",
    run: ({ administration, path }) => changed(administration.serviceTokens.revoke(path("id"))),
  },
};

function tokenOf({ reads, instance, path }: AnyCall, id = path("id")) {
  return found(reads.issuedTokens.find(instance.id, id), "token");
}
