/**
 * Copies the program of the API reference page from its npm package to the static assets, with its licence. wrangler runs this
 * before it serves or deploys, so the repository doesn't contain the program:
 *
 *     node scripts/copy-reference.ts
 */
import { copyFile, mkdir } from "node:fs/promises";

const PACKAGE = new URL(".", import.meta.resolve("openapi-explorer/package.json"));
const ASSETS = new URL("../public/assets/openapi-explorer/", import.meta.url);

await mkdir(ASSETS, { recursive: true });
await copyFile(new URL("dist/browser/openapi-explorer.min.js", PACKAGE), new URL("openapi-explorer.js", ASSETS));
await copyFile(new URL("LICENSE", PACKAGE), new URL("LICENSE.txt", ASSETS));
