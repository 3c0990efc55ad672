import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { Json } from "#mcp/message.ts";
import { OUTPUTS } from "./tool-outputs.ts";
import { TOOLS } from "#mcp/tools.ts";

/** No tool changes anything, and all of them access only the instance's own data. */
const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/**
 * Describes all tools as in `tools/list`, for `npm run describe`. The Worker reads the file that this writes, so it doesn't need
 * the code that generates JSON Schema.
 */
export function describeTools(): readonly Json[] {
  return TOOLS.map((tool) => {
    const { name, title, description, scope, input, meta } = tool;
    const output = OUTPUTS[name];
    if (!output) throw new TypeError(`tool-outputs.ts lacks ${name}`);
    const securitySchemes = [{ type: "oauth2", scopes: scope === null ? [] : [scope] }];
    return {
      name,
      title,
      description,
      inputSchema: schemaOf(input),
      outputSchema: schemaOf(output),
      annotations: { title, ...HINTS },
      securitySchemes,
      // Hosts that drop unknown members keep these.
      _meta: { securitySchemes, ...meta },
    };
  });
}

/**
 * @returns JSON Schema 2020-12 without `$schema`: the protocol assumes this version, and hosts of older versions fail on the
 *   member
 */
function schemaOf(schema: v.GenericSchema): Json {
  const { $schema: _mark, ...rest } = toJsonSchema(schema, { target: "draft-2020-12", errorMode: "ignore" });
  return rest;
}
