/** Runs in a process of its own, because the package takes its orders from the environment: see chromium.ts. */
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
