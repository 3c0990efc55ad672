export { default, DocumentsObject } from "#index.ts";
