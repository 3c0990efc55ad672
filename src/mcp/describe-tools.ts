import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { Json } from "./message.ts";
import { OUTPUTS } from "./outputs.ts";
import { TOOLS } from "./tools.ts";

/** None of them changes anything, and all that they reach is the instance's own. */
const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** All tools as `tools/list` describes them, for `npm run describe`: the Worker reads what that writes, and needs no JSON Schema. */
export function describeTools(): readonly Json[] {
  return TOOLS.map((tool) => {
    const { name, title, description, scope, input, meta } = tool;
    const output = OUTPUTS[name];
    if (!output) throw new TypeError(`outputs.ts lacks ${name}`);
    const securitySchemes = [{ type: "oauth2", scopes: scope === null ? [] : [scope] }];
    return {
      name,
      title,
      description,
      inputSchema: schemaOf(input),
      outputSchema: schemaOf(output),
      annotations: { title, ...HINTS },
      securitySchemes,
      // Hosts that drop members which they do not know keep these.
      _meta: { securitySchemes, ...meta },
    };
  });
}

/** @returns JSON Schema 2020-12, which the protocol takes for granted: hosts of older versions stumble over the mark. */
function schemaOf(schema: v.GenericSchema): Json {
  const { $schema: _mark, ...rest } = toJsonSchema(schema, { target: "draft-2020-12", errorMode: "ignore" });
  return rest;
}
