import { foldName } from "#protocol/folding.ts";
import { ENTERPRISE_USER, USER_SCHEMA } from "#protocol/scim-filter.ts";
import { type Filterable, type FilterColumn, schemasIn } from "./filter.sql.ts";
import { findByPath, type UserAttribute } from "./user-attributes.ts";

/** Does the same as SQLite's `lower`, which changes only ASCII letters. */
const lower = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Attributes that have their own column, and so are found by an index. */
const COLUMNS: Readonly<Record<string, FilterColumn>> = {
  id: { sql: "u.id", type: "text" },
  username: { sql: "u.user_name", type: "text", fold: foldName },
  externalid: { sql: "u.external_id", type: "text" },
  active: { sql: "u.is_active", type: "flag" },
  "meta.created": { sql: "u.created_at", type: "time" },
  "meta.lastmodified": { sql: "u.changed_at", type: "time" },
};

/**
 * The address that identifies the person. It is the only one that `emails eq` and `emails ne` compare: an index finds it, while
 * looking through all addresses reads every user of the directory.
 */
const IDENTIFYING_EMAIL: FilterColumn = { sql: "p.email", type: "text", fold: foldName };

/** A user has the second schema if their directory sent any attribute of it. */
const SCHEMAS = schemasIn(
  `iif(u.attributes ->> '$."${ENTERPRISE_USER}"' IS NULL, '["${USER_SCHEMA}"]', '["${USER_SCHEMA}","${ENTERPRISE_USER}"]')`,
);

/** The attributes that users can be filtered by; the table of users is `u`, and that of their people `p`. */
export const FILTERABLE_USERS: Filterable = {
  columnOf(attribute, operator) {
    const isEquality = operator === "eq" || operator === "ne";
    if (isEquality && /^emails(?:\.value)?$/.test(attribute)) return IDENTIFYING_EMAIL;
    const known = Object.hasOwn(COLUMNS, attribute) ? COLUMNS[attribute] : undefined;
    if (known) return known;
    const found = findByPath(attribute);
    if (!found || found.attribute.kind === "plural") return undefined;
    const { kind, subs } = found.attribute;
    // A manager is compared by its id, and present as a whole.
    const isWhole = kind !== "complex" || operator === "pr";
    const sub = found.sub ?? (isWhole ? undefined : subs.find((name) => name === "value"));
    if (!isWhole && sub === undefined) return undefined;
    return textAt(`u.attributes`, pathOf(found.attribute, sub));
  },
  elementOf(attribute) {
    if (attribute === "schemas") return SCHEMAS;
    const found = findByPath(attribute);
    if (found?.attribute.kind !== "plural" || found.sub !== undefined) return undefined;
    const { attribute: plural } = found;
    return {
      around: (condition) => `EXISTS (SELECT 1 FROM json_each(u.attributes, '${pathOf(plural)}') e WHERE ${condition})`,
      of: {
        columnOf: (sub) => {
          const name = plural.subs.find((known) => known.toLowerCase() === sub);
          if (name === undefined) return undefined;
          return name === "primary"
            ? { sql: "(e.value ->> '$.primary')", type: "flag" }
            : textAt("e.value", `$."${name}"`);
        },
        elementOf: () => undefined,
      },
    };
  },
};

function textAt(json: string, path: string): FilterColumn {
  return { sql: `lower(${json} ->> '${path}')`, type: "text", fold: lower };
}

/** Returns the path of an attribute in a user's JSON. The names come from our code. */
function pathOf({ name, isEnterprise }: UserAttribute, sub?: string): string {
  return `$${isEnterprise ? `."${ENTERPRISE_USER}"` : ""}."${name}"${sub === undefined ? "" : `."${sub}"`}`;
}
