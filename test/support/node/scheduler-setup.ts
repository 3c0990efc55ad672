import { scheduler } from "node:timers/promises";

/** Workers have it as a global, and Node.js doesn't. */
Object.assign(globalThis, { scheduler });
