// Runs before `npm start`. It is plain JavaScript, so that a Node that is too old for TypeScript can run it.
import { existsSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isInstalled = existsSync(new URL("../node_modules/wrangler", import.meta.url));
const isNewEnough = major > 22 || (major === 22 && minor >= 12);

if (!isInstalled) {
  console.error("\nThe packages are not installed. Run this first: npm ci");
  process.exitCode = 1;
} else if (!isNewEnough) {
  console.error(`\nGatehouse needs Node 22.12 or newer; this is ${process.versions.node}. Install it, then run: npm ci`);
  process.exitCode = 1;
}
