/**
 * `npm run describe`: writes the descriptions of the APIs and of the MCP tools, which the Worker serves from its assets, and the
 * types of the typed client.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { openApiDocument } from "./describe/openapi.ts";
import { describeTools } from "./describe/tools.ts";
import { markOf, TYPES_FILE } from "./describe/client-types.ts";

/**
 * Fetched by npx: it needs the API of TypeScript 5, which TypeScript 7 doesn't have, so it is not one of the repository's
 * packages.
 */
const GENERATOR = ["--yes", "--package=openapi-typescript@7.13.0", "--package=typescript@5.9.3", "openapi-typescript"];
const OPTIONS = ["--root-types", "--root-types-no-schema-prefix", "--default-non-nullable=false"];

const document = openApiDocument();
writeFileSync("public/api-description.json", `${JSON.stringify(document, null, 2)}\n`);

writeFileSync("public/mcp-tools.json", `${JSON.stringify(describeTools(), null, 2)}\n`);

const source = JSON.stringify(document);
const mark = markOf(source);
if (!readFileSync(TYPES_FILE, "utf8").startsWith(mark)) {
  const types = execFileSync("npx", [...GENERATOR, ...OPTIONS], { input: source, encoding: "utf8" });
  writeFileSync(TYPES_FILE, `${mark}\n${types}`);
}
