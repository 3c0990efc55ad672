/** The console's pages, as its navigation groups them. */
export const SECTION_GROUPS = [
  { title: "", sections: [{ path: "/admin", label: "Overview" }] },
  {
    title: "Sign-in",
    sections: [
      { path: "/admin/oauth", label: "OAuth" },
      { path: "/admin/single-sign-on", label: "Single sign-on" },
      { path: "/admin/issuers", label: "Identity providers" },
      { path: "/admin/signals", label: "Sign-out signals" },
    ],
  },
  {
    title: "Access",
    sections: [
      { path: "/admin/clients", label: "Apps" },
      { path: "/admin/registration", label: "Registration" },
      { path: "/admin/grants", label: "Grants" },
      { path: "/admin/tokens", label: "Tokens" },
      { path: "/admin/service-accounts", label: "Service accounts" },
    ],
  },
  {
    title: "People and content",
    sections: [
      { path: "/admin/people", label: "People" },
      { path: "/admin/directories", label: "Directories" },
      { path: "/admin/content", label: "Content" },
      { path: "/admin/metadata", label: "Custom metadata" },
      { path: "/admin/glossary", label: "Glossary" },
    ],
  },
  {
    title: "Operation",
    sections: [
      { path: "/admin/connections", label: "Connections" },
      { path: "/admin/token-test", label: "Token test" },
      { path: "/admin/audit", label: "Audit log" },
      { path: "/admin/document-storage", label: "Document storage" },
      { path: "/admin/keys", label: "Signing keys" },
      { path: "/admin/doctor", label: "Doctor" },
      { path: "/admin/settings", label: "Settings" },
    ],
  },
] as const;

/** Returns the path of the section that a page belongs to. */
export function sectionOf(path: string): string {
  const paths = SECTION_GROUPS.flatMap(({ sections }) => sections.map((section): string => section.path));
  const known = paths.filter((section) => path.startsWith(section));
  return known.toSorted((one, other) => other.length - one.length)[0] ?? "/admin";
}
