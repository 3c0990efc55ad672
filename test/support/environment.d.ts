/**
 * The types of `env` and `exports` of "cloudflare:workers" in tests: the Worker's bindings and what vitest.config.ts adds.
 */
declare namespace Cloudflare {
  interface Env extends Required<import("../../src/platform/bindings.ts").Bindings> {
    /** The statements of schema.sql. */
    readonly SCHEMA: string[];
    /** Where the Worker's tables are, as vitest.config.ts sets it. */
    readonly DATABASE: "d1" | "object";
    /** Objects that are databases, one for each test file. */
    readonly TEST_DATABASES: DurableObjectNamespace<import("./test-database.ts").TestDatabaseObject>;
  }
  interface GlobalProps {
    mainModule: typeof import("../../src/index.ts");
  }
}

/** A file of this repository as text. */
declare module "*?raw" {
  const text: string;
  export default text;
}

/** Files of this repository as text, by path (Vite). */
interface ImportMeta {
  glob(pattern: string, options: { query: "?raw"; import: "default" }): Record<string, () => Promise<string>>;
}
