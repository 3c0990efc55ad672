import { type AdminOperation, evaluatesIfMatch, evaluatesIfNoneMatch, scopeOf } from "#admin-api/operation.ts";
import { LIST_LIMIT_MOST, LIST_LIMIT_USUAL } from "#platform/listing.ts";
import { capital } from "./names.ts";

type Json = Readonly<Record<string, unknown>>;

/** What the description of every call contains. */
export interface Described extends Json {
  readonly parameters?: readonly Json[];
  readonly responses: Readonly<Record<string, unknown>>;
}

/** `GET /apps` → `adminGetApps`; `GET /apps/:id` → `adminGetAppsById`. */
export function adminOperationId(route: string): string {
  const [method = "", address = ""] = route.split(" ");
  const words = address.split(/[/-]/).filter((word) => word !== "");
  const named = words.map((word) => (word.startsWith(":") ? `By${capital(word.slice(1))}` : capital(word)));
  return `admin${capital(method.toLowerCase())}${named.join("")}`;
}

/** Adds to the description of a call what only calls of the Admin API have. @param route such as `GET /apps` */
export function describeAdmin(route: string, operation: AdminOperation, described: Described): Json {
  const { list, parameters: own = {}, takesBytes = false, creates = false } = operation;
  const { parameters = [], responses, description, ...rest } = described;
  const { 200: done, ...refusals } = responses;
  const needed = scopeOf(operation);
  const scope =
    needed === "owner"
      ? "No token can call this. An owner can do it in the console, and the operator with `npm run admin`."
      : `Needs \`${needed}\`.`;
  const all = [
    ...parameters,
    ...(list ? listParameters(list) : []),
    ...Object.entries(own).map(([name, says]) => query(name, says, { type: "string" })),
    ...(evaluatesIfMatch(operation) ? [IF_MATCH] : []),
    ...(evaluatesIfNoneMatch(route.split(" ")[0] ?? "", operation) ? [IF_NONE_MATCH] : []),
  ];
  return {
    ...rest,
    description: typeof description === "string" ? `${description} ${scope}` : scope,
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(takesBytes ? { requestBody: { required: true, content: { "image/*": {} } } } : {}),
    responses: { [creates ? 201 : 200]: done, ...refusals },
  };
}

const IF_MATCH: Json = {
  name: "If-Match",
  in: "header",
  description: "The `ETag` that you read: the change is made only if it is still the same",
  schema: { type: "string" },
};

const IF_NONE_MATCH: Json = {
  name: "If-None-Match",
  in: "header",
  description: "Create only if nothing is stored yet",
  schema: { type: "string", const: "*" },
};

function query(name: string, description: string, schema: Json): Json {
  return { name, in: "query", description, schema };
}

function listParameters({ filters, sorts }: NonNullable<AdminOperation["list"]>): Json[] {
  const orders = sorts.flatMap((sort) => [sort, `-${sort}`]);
  return [
    query("search", "A part of a name, an email address or another text of the item", { type: "string" }),
    ...Object.entries(filters).map(([name, values]) =>
      query(name, "Only items with this value", { type: "string", ...(values === null ? {} : { enum: values }) }),
    ),
    query("sort", "With a minus in front, in descending order", { type: "string", enum: orders }),
    query("limit", "Items per page", {
      type: "integer",
      minimum: 1,
      maximum: LIST_LIMIT_MOST,
      default: LIST_LIMIT_USUAL,
    }),
    query("cursor", "The `nextCursor` or `previousCursor` of a page, with the same `sort`", { type: "string" }),
  ];
}
