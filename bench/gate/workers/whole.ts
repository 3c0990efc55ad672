import { stopClock } from "./standing-clock.ts";

export { default, DocumentsObject } from "#index.ts";

stopClock();
