import type { InstanceRecord } from "#instance/instances.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import { parseSettings } from "#settings/settings.ts";
import * as v from "valibot";
import { flag, text } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, lists, nullsToDefaults, taking } from "./operation.ts";

export const STAGES = ["next", "signing", "retired"] as const;

export const SETTINGS_OPERATIONS: AdminOperations = {
  "GET /settings": {
    run: async (call) => settingsOf(await recordOf(call)),
  },
  "PATCH /settings": taking(v.record(text, v.unknown()), {
    act: "settings.change",
    refusals: [412],
    run: ({ administration, body, requireUnchanged }) =>
      administration.settings.change(nullsToDefaults(body), (current) => requireUnchanged(settingsOf(current))),
  }),
  "PUT /logo": {
    act: "logos.put",
    takesBytes: true,
    run: ({ administration, bytes }) => changed(administration.logos.put(bytes)),
  },
  "DELETE /logo": {
    act: "logos.remove",
    run: ({ administration }) => changed(administration.logos.remove()),
  },
  "GET /signing-keys": lists(
    { filters: { stage: STAGES }, sorts: ["stagedAt", "createdAt"], isNewestFirst: true },
    async ({ reads, instance, query }) => listOf(await reads.signingKeys.list(instance.id), query, ({ kid }) => kid),
  ),
  "POST /signing-keys": taking(closed({ isCompromised: v.optional(flag, false) }), {
    act: "signingKeys.rotate",
    run: async ({ administration, body }) => {
      await administration.signingKeys.rotate(body.isCompromised);
      return { changed: true };
    },
  }),
};

function recordOf({ reads, instance }: AnyCall): Promise<InstanceRecord> {
  return reads.instances.require(instance.name);
}

function settingsOf({ settings }: InstanceRecord) {
  return parseSettings(settings);
}
