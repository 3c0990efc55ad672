/** `npm run describe`: writes the description of the APIs, which the Worker serves as an asset. */
import { writeFileSync } from "node:fs";
import { openApiDocument } from "#api-description/openapi.ts";

writeFileSync("public/api-description.json", `${JSON.stringify(openApiDocument(), null, 2)}\n`);
