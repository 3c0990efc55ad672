/** The names of workerd's modules, for code that is checked with Node's globals. */
declare module "cloudflare:workers" {
  export function waitUntil(work: Promise<unknown>): void;
}
