/** The console's pages, as its navigation lists them. */
export const SECTIONS = [
  { path: "/admin", label: "Overview" },
  { path: "/admin/oauth", label: "OAuth" },
  { path: "/admin/single-sign-on", label: "Single sign-on" },
  { path: "/admin/clients", label: "Apps" },
  { path: "/admin/registration", label: "Registration" },
  { path: "/admin/issuers", label: "Identity providers" },
  { path: "/admin/tokens", label: "Tokens" },
  { path: "/admin/grants", label: "Grants" },
  { path: "/admin/metadata", label: "Custom metadata" },
  { path: "/admin/keys", label: "Signing keys" },
  { path: "/admin/people", label: "People" },
  { path: "/admin/audit", label: "Audit log" },
  { path: "/admin/connections", label: "Connections" },
  { path: "/admin/doctor", label: "Doctor" },
  { path: "/admin/settings", label: "Settings" },
] as const;

export type SectionPath = (typeof SECTIONS)[number]["path"];
