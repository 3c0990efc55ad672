import { found } from "#administration/found.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import { parseSettings } from "#settings/settings.ts";
import { connectionSchema } from "#single-sign-on/connection.ts";
import * as v from "valibot";
import { flag, text } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, lists, nullsToDefaults, taking } from "./operation.ts";

export const STAGES = ["next", "signing", "retired"] as const;

/** Operations about settings, the logo, the SSO, and keys. */
export const SETTINGS_OPERATIONS: AdminOperations = {
  "GET /settings": {
    run: async (call) => settingsOf(await recordOf(call)),
  },
  "PATCH /settings": taking(
    v.pipe(v.record(text, v.unknown()), v.description("Settings by name; `null` takes one back to its default")),
    {
      act: "settings.change",
      refusals: [412],
      run: ({ administration, instance, actor, body, requireUnchanged }) =>
        administration.settings.change(instance, nullsToDefaults(body), actor, (current) =>
          requireUnchanged(settingsOf(current)),
        ),
    },
  ),
  "PUT /logo": {
    act: "logos.put",
    takesBytes: true,
    run: ({ administration, instance, actor, bytes }) => changed(administration.logos.put(instance, bytes, actor)),
  },
  "DELETE /logo": {
    act: "logos.remove",
    run: ({ administration, instance, actor }) => changed(administration.logos.remove(instance, actor)),
  },
  "GET /single-sign-on": {
    refusals: [404],
    run: async (call) => found(Promise.resolve(connectionOf(await recordOf(call))), "connection"),
  },
  "PUT /single-sign-on": taking(closed(connectionSchema.entries), {
    act: "singleSignOn.connect",
    refusals: [412],
    run: async (call) => {
      const { administration, instance, actor, body, requireUnchanged } = call;
      await administration.singleSignOn.connect(instance, body, actor, (current) =>
        requireUnchanged(connectionOf(current)),
      );
      return connectionOf(await recordOf(call));
    },
  }),
  "GET /signing-keys": lists(
    { filters: { stage: STAGES }, sorts: ["stagedAt", "createdAt"], isNewestFirst: true },
    async ({ reads, instance, query }) => listOf(await reads.signingKeys.list(instance.id), query, ({ kid }) => kid),
  ),
  "POST /signing-keys": taking(closed({ isCompromised: v.optional(flag, false) }), {
    act: "signingKeys.rotate",
    run: async ({ administration, instance, actor, body }) => {
      await administration.signingKeys.rotate(instance, body.isCompromised, actor);
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

function connectionOf({ singleSignOn }: InstanceRecord) {
  if (singleSignOn === null) return null;
  const { sealedClientSecret: _secret, ...shownOf } = singleSignOn;
  return shownOf;
}
