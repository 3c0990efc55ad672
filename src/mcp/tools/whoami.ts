import { defineTool } from "#mcp/tool.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";

/**
 * Tells which account is connected. ChatGPT shows it because of the mark in `_meta` (developers.openai.com, Apps SDK).
 */
export const whoamiTool = defineTool({
  name: "whoami",
  title: "Who is connected",
  description: "Returns the signed-in user, whose documents these tools search and read.",
  scope: null,
  input: v.strictObject({}),
  meta: { "openai/profile": true },
  async run(_none, { policy, caller, services }) {
    const profile = await services.people.profileOf(policy.instanceId, caller.personId);
    if (!profile) {
      throw new ApiError("not_found", { reason: "person_absent", description: "The person no longer exists" });
    }
    const { name, email } = profile;
    return {
      id: caller.personId,
      ...(name === null ? {} : { name }),
      ...(caller.scopes.has("email") ? { email } : {}),
    };
  },
});
