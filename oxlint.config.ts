import { defineConfig, type OxlintOverride } from "oxlint";

/**
 * Something that a file may not import, in the pattern language of .gitignore. There "#" begins a comment, so it is escaped.
 * Types are banned too, unless `typesAllowed` is set.
 */
interface Ban {
  group: string[];
  message: string;
  typesAllowed?: true;
  /** Bans only these exports; absent: all. */
  names?: string[];
}

/**
 * Bans everything except some paths. An allowed path overrides all other bans of a file, so bans within allowed paths have to be
 * repeated.
 */
const anythingBut = (allowed: string[], ...except: Ban[]): string[] => [
  "*",
  ...allowed.map((pattern) => `!${pattern}`),
  ...except.flatMap((ban) => ban.group),
];

const climbing: Ban = {
  group: ["../**"],
  message: "Import ./file.ts inside a folder and #room/file.ts beyond it, so that a boundary shows on its line.",
};
const entry: Ban = { group: ["\\#index.ts", "./index.ts"], message: "Nothing imports the Worker's entry." };
const app: Ban = { group: ["\\#app.ts", "./app.ts"], message: "Only index.ts imports app.ts." };
const outside: Ban = { group: ["../**/src/**"], message: "Import the Worker's files as #room/file.ts." };
const sharedBindings: Ban = {
  group: ["cloudflare:workers", "cloudflare:test"],
  names: ["env"],
  message:
    "Take env from test/support/isolate.ts: each test file has bindings of its own, and the Worker's memory with them.",
};
const insideOfTheWorker: Ban = {
  group: [
    "\\#services.ts",
    "\\#composition/**",
    "\\#**/*.d1.ts",
    "cloudflare:test",
    "../support/isolate.ts",
    "../support/documents.ts",
  ],
  message:
    "test/conformance/ speaks HTTP: worlds of test/support arrange; what HTTP does not show belongs in test/<room>/.",
};
const services: Ban = {
  group: ["\\#services.ts", "\\#composition/**"],
  message: "services.ts and composition/ compose the rooms; a room takes what it needs as an argument.",
};
const hono: Ban = {
  group: ["hono", "hono/**"],
  message: "HTTP lives in endpoint and middleware files; nothing below them knows Hono.",
};
const http: Ban = {
  group: ["**/endpoint.*", "**/*-endpoint.*", "**/middleware.*", "**/*-middleware.*", "\\#platform/{http,handlers}.ts"],
  message: "Nothing below HTTP imports what speaks it: endpoints, middleware, platform/http.ts.",
};
const allOfHono: Ban = {
  group: ["hono", "hono/factory"],
  message: "It carries all of Hono's routers: take HonoBase of hono/hono-base, and platform/handlers.ts.",
  typesAllowed: true,
};
const views: Ban = { group: ["**/views/**", "\\#pages/**"], message: "Only HTTP renders views." };
const stores: Ban = {
  group: ["**/*.d1.ts", "**/*.kv.ts"],
  message:
    "Only composition/stores.ts builds stores: take one as an argument. A port is for what has two implementations.",
  typesAllowed: true,
};
const index: Ban = {
  group: ["\\#documents/store.ts", "\\#documents/**/*.sql.ts", "\\#documents/find/collect/**"],
  message: "Ranking is pure: it takes counts and readers as arguments, and reads no index.",
};
const storesOfOtherRooms: Ban = { group: ["\\#**/*.d1.ts", "\\#**/*.kv.ts"], message: "A store knows no other store." };

/** What a file of a room may not import, by its kind, which its name shows. A file of no other kind contains rules. */
const kinds: { files: string[]; bans: Ban[] }[] = [
  { files: ["**"], bans: [hono, http, views, stores] },
  {
    files: ["**/views/**"],
    bans: [
      http,
      stores,
      {
        group: anythingBut(
          ["./**", "\\#pages/**", "\\#messages/**", "hono/jsx", "hono/html", "hono/css"],
          entry,
          http,
          stores,
        ),
        message: "A view is HTML and nothing else: hono/jsx, pages/, messages/ and types.",
        typesAllowed: true,
      },
    ],
  },
  {
    files: [
      "**/{endpoint,*-endpoint,middleware,*-middleware}.{ts,tsx}",
      "**/http.ts",
      "**/{router,routes,handlers}.ts",
    ],
    bans: [stores, allOfHono],
  },
  {
    files: ["**/*.{d1,kv}.ts"],
    bans: [
      hono,
      http,
      views,
      storesOfOtherRooms,
      {
        group: anythingBut(
          [
            "./**",
            "\\#protocol/**",
            "\\#platform/**",
            "\\#settings/settings.ts",
            "\\#issuers/external-issuer.ts",
            "\\#**/*.sql.ts",
          ],
          entry,
          http,
          views,
          storesOfOtherRooms,
        ),
        message: "A store holds statements: it takes protocol/, platform/, shared SQL and the types of rules.",
        typesAllowed: true,
      },
    ],
  },
];

/**
 * The rooms in their order. A room may import from earlier rooms, including types, and never from later ones. Rooms of the same
 * line may import each other, as long as there is no cycle; `test/house/rooms.test.ts` checks both.
 */
export const ROOMS_IN_ORDER: readonly (readonly string[])[] = [
  // Foundations.
  ["protocol"],
  ["messages"],
  ["crypto"],
  ["platform"],
  // Nouns: the things that exist, their rules and their tables.
  [
    "instance",
    "app-access",
    "settings",
    "branding",
    "audit",
    "usage",
    "people",
    "directories",
    "issuers",
    "single-sign-on",
    "clients",
    "authorization-requests",
    "grants",
    "connection-attempts",
    "dpop",
    "consents",
    "service-accounts",
    "service-tokens",
    "spent-ids",
    "documents",
    "glossary",
    "custom-metadata",
  ],
  // The frame of every page.
  ["pages"],
  // Acts and flows.
  ["session", "signals", "administration", "authorization-server", "resource-server"],
  ["maintenance", "doctor"],
  // Faces: they parse, call and show.
  [
    "client-api",
    "indexing-api",
    "mcp",
    "scim",
    "admin-api",
    "admin-console",
    "account",
    "search-page",
    "api-description",
  ],
  // The room that puts everything together.
  ["composition"],
];

const order: Omit<Ban, "group"> = {
  message:
    "Against the order of the rooms (ROOMS_IN_ORDER): faces import acts and flows, those nouns, those foundations.",
};
const meeting = "The two roles meet in tokens, published keys and instance/, never in an import.";

/** The rooms, and the bans that a file's room adds to those of its kind. */
const rooms: { folder: string; bans: Ban[] }[] = ROOMS_IN_ORDER.flatMap((line, at) =>
  line.map((room) => ({
    folder: room,
    bans: [
      {
        ...order,
        group: [
          "\\#app-env.ts",
          ...ROOMS_IN_ORDER.slice(at + 1)
            .flat()
            .map((later) => `\\#${later}/**`),
        ],
      },
      ...(room === "authorization-server" ? [{ group: ["\\#resource-server/**"], message: meeting }] : []),
      ...(room === "resource-server" ? [{ group: ["\\#authorization-server/**"], message: meeting }] : []),
    ],
  })),
);

/**
 * Defines the bans of some files. If several match a file, the last one replaces the others, so each has to be complete.
 */
const law = (files: string[], ...bans: Ban[]): OxlintOverride => ({
  files,
  rules: {
    "eslint/no-restricted-imports": [
      "error",
      {
        patterns: bans.map(({ group, message, typesAllowed = false, names }) => ({
          group,
          message,
          allowTypeImports: typesAllowed,
          ...(names && { importNames: names }),
        })),
      },
    ],
  },
});

const importLaw = [
  law(["src/services.ts"], climbing, entry, app, http, views, stores),
  law(["src/app.ts"], climbing, entry, stores),
  law(["src/index.ts"], climbing, stores),
  ...rooms.flatMap((room) =>
    kinds.map((kind) =>
      law(
        kind.files.map((pattern) => `src/${room.folder}/${pattern}`),
        climbing,
        entry,
        app,
        services,
        ...kind.bans,
        ...room.bans,
      ),
    ),
  ),
  ...rooms
    .filter(({ folder }) => folder === "documents")
    .map(({ bans }) =>
      law(["src/documents/find/rank/**"], climbing, entry, app, services, hono, http, views, stores, ...bans, index),
    ),
  law(["src/composition/**"], climbing, entry, app, http, views, stores),
  law(["src/composition/stores.ts"], climbing, entry, app, http, views),
  law(["src/protocol/**"], { group: anythingBut(["./**", "\\#protocol/**"]), message: "protocol/ imports nothing." }),
  law(["src/crypto/**"], {
    group: anythingBut(["./**", "\\#crypto/**", "\\#protocol/**", "jose"]),
    message: "crypto/ imports jose and protocol/, and nothing else.",
  }),
  law(["test/**", "scripts/**", "bench/**"], app, outside),
  law(["test/**", "bench/*.test.ts"], app, outside, sharedBindings),
  law(["test/conformance/**"], app, outside, sharedBindings, insideOfTheWorker),
  law(["test/support/isolate.ts"], app, outside),
  // The only test file that reads the router: it tells the others which routes there are.
  law(["test/support/routes.ts"], outside, sharedBindings),
];

/** Types that rules may not use: they call stores. */
const bindingsOfWorkerd = Object.fromEntries(
  ["D1Database", "D1PreparedStatement", "D1Result", "KVNamespace"].map((name) => [
    name,
    "Only stores and platform/ know D1 and KV: take a store.",
  ]),
);

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import"],
  options: { typeAware: true, reportUnusedDisableDirectives: "error" },
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "oxc/no-barrel-file": ["error", { threshold: 0 }],
    "typescript/no-floating-promises": "error",
    "typescript/no-import-type-side-effects": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "unicorn/consistent-function-scoping": "off",
    // A member of MCP messages.
    "eslint/no-underscore-dangle": ["error", { allow: ["_meta"] }],
    "unicorn/no-array-sort": "off",
    // A row of D1 has the type that its statement selects; no guard can add to that.
    "typescript/no-unsafe-type-assertion": "off",
  },
  overrides: [
    ...importLaw,
    { files: ["src/**"], rules: { "eslint/no-restricted-globals": ["error", "process", "Buffer"] } },
    { files: ["src/*/**"], rules: { "typescript/no-restricted-types": ["error", { types: bindingsOfWorkerd }] } },
    { files: ["src/platform/**", "src/**/*.{d1,kv,sql}.ts"], rules: { "typescript/no-restricted-types": "off" } },
    {
      // In Node, a listener that rejects ends the process with its error, which is right for scripts.
      files: ["scripts/**", "bench/**", "test/**"],
      rules: { "typescript/no-misused-promises": ["error", { checksVoidReturn: false }] },
    },
    {
      files: ["src/index.ts", "bench/gate/workers/*.ts", "bench/search/worker.ts", "*.config.ts", "**/*.d.ts"],
      rules: { "import/no-default-export": "off" },
    },
  ],
});
