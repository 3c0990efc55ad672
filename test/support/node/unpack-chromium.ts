/** Runs in its own process, because the package is controlled by environment variables: see chromium.ts. */
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
