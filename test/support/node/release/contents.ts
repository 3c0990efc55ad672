/** The audit keeps its entries, whenever the upgrade is tested. */
const TEN_YEARS = 10 * 365 * 86_400;

const APP = { redirectUris: ["https://app.example/cb"], scopes: ["SEARCH", "CHAT"], tokenEndpointAuthMethod: "none" };

const ONLY_WIKI = [{ field: "datasource", values: ["wiki"], isExcluded: false }];

/** A configuration with one of each kind of thing. */
export const DECLARED = {
  settings: {
    displayName: "Acme",
    searchLanguages: ["en", "de"],
    supportContact: "help@acme.example",
    alertReceiver: "https://collector.example/alerts",
    auditKeptSeconds: TEN_YEARS,
  },
  issuers: {
    "https://idp.example": {
      name: "Identity provider",
      clientIds: ["intranet"],
      audiences: ["api://gatehouse"],
      scopes: ["SEARCH"],
      emailDomains: ["acme.example"],
    },
  },
  apps: { Intranet: APP, "Nightly report": { ...APP, tokenEndpointAuthMethod: "client_secret_basic" } },
  appRules: { Intranet: [{ group: "engineering", scopes: ["SEARCH"] }] },
  appContent: { Intranet: ONLY_WIKI },
  serviceAccounts: {
    builder: {
      groups: ["engineering"],
      scopes: ["SEARCH"],
      proof: { workload: { issuer: "https://ci.example", claims: { repository: "acme/docs" } } },
    },
  },
  serviceAccountContent: { builder: ONLY_WIKI },
  transmitters: {
    "https://events.example": {
      name: "Events",
      audience: "gatehouse",
      emailDomains: ["acme.example"],
      authorizationSecretEnv: "GATEHOUSE_SECRET_EVENTS",
    },
  },
  metadataGroups: {
    deal: {
      metadataKeys: [
        { name: "stage", propertyType: "PICKLIST" },
        { name: "notes", propertyType: "TEXT", skipIndexing: true },
      ],
    },
  },
  glossary: { entries: [{ term: "PTO", meaning: "paid time off", isOneWay: false }] },
  roles: { "deniz@acme.example": "auditor", "elin@acme.example": "app-manager" },
};

const TEXT =
  "Each page of this organisation has a heron. Holidays are paid time off, and everybody plans them in spring.";

function document(id: string, datasource: string, permissions: object, more: object = {}) {
  return {
    id,
    datasource,
    objectType: "Page",
    title: `The ${id} of the ${datasource}`,
    viewURL: `https://${datasource}.acme.example/${id}`,
    author: { email: "elin@acme.example", name: "Elin Sandberg" },
    createdAt: 1_750_000_000,
    updatedAt: 1_760_000_000,
    contentHash: `hash of ${id}`,
    body: { mimeType: "text/html", textContent: `<h2 id="${id}">About the ${id}</h2><p>${TEXT}</p>` },
    permissions,
    ...more,
  };
}

/** A document for each way to share one. */
export const DOCUMENTS = [
  document(
    "handbook",
    "wiki",
    { allowAnonymousAccess: true },
    { tags: ["people"], summary: { mimeType: "text/plain", textContent: "How we work" } },
  ),
  document("plan", "wiki", { allowedGroupIntersections: [{ requiredGroups: ["staff", "project-x"] }] }),
  document("notes", "wiki", { allowAllDatasourceUsersAccess: true }),
  document("runbook", "wiki", { allowedGroups: ["engineering"] }),
  document("budget", "files", { allowedGroups: ["finance"] }),
  document("letter", "files", { allowedUsers: [{ email: "carla@acme.example" }] }),
  document("draft", "files", {}),
];

const news = (id: string) => document(id, "news", { allowAnonymousAccess: true });

/** Two bulk uploads, by id. The second removes a document, which can be brought back. */
export const UPLOADED: readonly (readonly [string, readonly object[]])[] = [
  ["first", [news("spring"), news("summer"), news("autumn")]],
  ["second", [news("spring"), news("summer")]],
];
