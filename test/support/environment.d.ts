/** What `env` and `exports` of "cloudflare:workers" are in tests: the Worker's bindings and what vitest.config.ts adds. */
declare namespace Cloudflare {
  interface Env extends Required<import("../../src/platform/bindings.ts").Bindings> {
    /** The statements of schema.sql. */
    readonly SCHEMA: string[];
    /** Where the Worker's tables are: vitest.config.ts says it. */
    readonly DATABASE: "d1" | "object";
    /** A database for each file of tests. */
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
