import { foldName } from "#protocol/folding.ts";
import { GROUP_SCHEMA } from "#protocol/scim-filter.ts";
import { type Filterable, type FilterColumn, schemasIn } from "./filter.sql.ts";

const COLUMNS: Readonly<Record<string, FilterColumn>> = {
  id: { sql: "g.id", type: "text" },
  displayname: { sql: "g.name", type: "text", fold: foldName },
  externalid: { sql: "g.external_id", type: "text" },
  "meta.created": { sql: "g.created_at", type: "time" },
  "meta.lastmodified": { sql: "g.changed_at", type: "time" },
};

const ONE_MEMBER: Filterable = {
  columnOf: (attribute) => (attribute === "value" ? { sql: "m.user_id", type: "text" } : undefined),
  elementOf: () => undefined,
};

const SCHEMAS = schemasIn(`'["${GROUP_SCHEMA}"]'`);

/**
 * The attributes that groups can be filtered by; the table is `g`. `members eq "…"` or `members[value eq "…"]` asks whether a user
 * is a member.
 */
export const FILTERABLE_GROUPS: Filterable = {
  columnOf: (attribute) => (Object.hasOwn(COLUMNS, attribute) ? COLUMNS[attribute] : undefined),
  elementOf(attribute) {
    if (attribute === "schemas") return SCHEMAS;
    if (attribute !== "members") return undefined;
    return {
      around: (condition) => `EXISTS (SELECT 1 FROM directory_members m WHERE m.group_id = g.id AND ${condition})`,
      of: ONE_MEMBER,
    };
  },
};
