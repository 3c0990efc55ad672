import { ScimError } from "#protocol/errors.ts";
import type { ScimFilter, ScimOperator } from "#protocol/scim-filter.ts";

/** An attribute in SQL. */
export interface FilterColumn {
  readonly sql: string;
  readonly type: "text" | "flag" | "time";
  /** Converts a text to the form in the column. Without it, case matters. */
  readonly fold?: (text: string) => string;
}

/** The attributes that a filter may use. */
export interface Filterable {
  readonly columnOf: (attribute: string, operator: ScimOperator | "pr") => FilterColumn | undefined;
  /**
   * For a plural attribute: puts the condition on one element into a condition on the list, and says what the elements can be filtered by.
   */
  readonly elementOf: (attribute: string) => FilterableElement | undefined;
}

interface FilterableElement {
  readonly around: (condition: string) => string;
  readonly of: Filterable;
}

type Bind = (value: string | number) => string;

/**
 * Maximum conditions of a filter. D1 accepts at most a hundred parameters, and a filter of more than a few conditions is a mistake.
 */
const CONDITIONS_MAX = 20;

/**
 * Converts a filter to a condition that is never NULL, with every value bound.
 *
 * @throws {ScimError} `invalidFilter` for attributes that can't be filtered by, and values of the wrong type
 */
export function filterSql(filter: ScimFilter, within: Filterable, bind: Bind): string {
  let conditions = 0;
  const compile = (part: ScimFilter, of: Filterable): string => {
    conditions += 1;
    if (conditions > CONDITIONS_MAX) throw refused(`a filter has at most ${CONDITIONS_MAX} conditions`);
    switch (part.kind) {
      case "and":
      case "or":
        return `(${part.parts.map((each) => compile(each, of)).join(part.kind === "and" ? " AND " : " OR ")})`;
      case "not":
        return `NOT ${compile(part.of, of)}`;
      case "element": {
        const element = of.elementOf(part.attribute);
        if (!element) throw refused(`${part.attribute} has no elements to filter by`);
        return element.around(compile(part.of, element.of));
      }
      case "present":
      case "compare":
      default: {
        const { kind, attribute } = part;
        const column = of.columnOf(attribute, kind === "present" ? "pr" : part.operator);
        if (column) return kind === "present" ? presence(column) : comparison(column, part, bind);
        const list = of.elementOf(attribute);
        if (list && kind === "present") return list.around("TRUE");
        // `members eq "…"` and `emails.type eq "…"` are about one element, too.
        const dot = attribute.lastIndexOf(".");
        const element = list ?? of.elementOf(attribute.slice(0, Math.max(0, dot)));
        if (!element) throw refused(`${attribute.slice(0, 100)} can't be filtered by`);
        return element.around(compile({ ...part, attribute: list ? "value" : attribute.slice(dot + 1) }, element.of));
      }
    }
  };
  return compile(filter, within);
}

/** Makes `schemas` filterable. @param list its values, as a JSON array in SQL */
export function schemasIn(list: string): FilterableElement {
  const value: FilterColumn = { sql: "lower(s.value)", type: "text", fold: (text) => text.toLowerCase() };
  return {
    around: (condition) => `EXISTS (SELECT 1 FROM json_each(${list}) s WHERE ${condition})`,
    of: { columnOf: (attribute) => (attribute === "value" ? value : undefined), elementOf: () => undefined },
  };
}

/** An empty text is no value, as RFC 7644 §3.4.2.2 says of `pr`. */
function presence({ sql, type }: FilterColumn): string {
  return type === "text" ? `coalesce(${sql} <> '', 0)` : `(${sql} IS NOT NULL)`;
}

const ORDER = { gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function comparison(
  { sql, type, fold }: FilterColumn,
  { attribute, operator, value }: Extract<ScimFilter, { kind: "compare" }>,
  bind: Bind,
): string {
  const isEquality = operator === "eq" || operator === "ne";
  const not = operator === "ne" ? " NOT" : "";
  if (value === null && isEquality) return `(${sql} IS${not} NULL)`;
  if (type === "flag") {
    if (typeof value !== "boolean" || !isEquality) throw refused(`${attribute} must be true or false`);
    return `(${sql} IS${not} ${value ? 1 : 0})`;
  }
  if (typeof value !== "string") throw refused(`${attribute} must be compared with a text in quotes`);
  if (type === "time") {
    const at = Date.parse(value) / 1000;
    if (Number.isNaN(at) || (!isEquality && !(operator in ORDER)))
      throw refused(`${attribute} must be compared with a time`);
    return isEquality
      ? `(${sql} IS${not} ${bind(Math.floor(at))})`
      : `(${sql} ${ORDER[operator as keyof typeof ORDER]} ${bind(at)})`;
  }
  const bound = bind(fold ? fold(value) : value);
  switch (operator) {
    case "eq":
    case "ne":
      return `(${sql} IS${not} ${bound})`;
    // Not LIKE, because its patterns may have at most 50 bytes.
    case "co":
      return `coalesce(instr(${sql}, ${bound}) > 0, 0)`;
    case "sw":
      return `coalesce(substr(${sql}, 1, length(${bound})) = ${bound}, 0)`;
    case "ew":
      return `coalesce(substr(${sql}, -length(${bound})) = ${bound}, 0)`;
    case "gt":
    case "ge":
    case "lt":
    case "le":
    default:
      return `coalesce(${sql} ${ORDER[operator]} ${bound}, 0)`;
  }
}

function refused(description: string): ScimError {
  return new ScimError("invalidFilter", { reason: "scim_filter_refused", description: `The filter: ${description}` });
}
