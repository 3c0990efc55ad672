import { type Schema, Validator } from "@cfworker/json-schema";
import { INDEXING_BASES } from "#indexing-api/bases.ts";
import description from "../../public/api-description.json";

interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

type Operation = { readonly responses: Readonly<Record<string, Answer>> };

const APIS = /^\/(rest\/api\/v1|rest\/api\/admin\/v1|rest\/api\/index|api\/index\/v1)\//;

const paths = Object.entries(
  description.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>,
).map(([template, operations]) => ({
  address: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  operations,
}));

/** The schemas that other schemas refer to. */
const components = { schemas: exact(description.components.schemas) };

const validators = new Map<Answer, Validator>();

/**
 * Checks a response of the APIs against their description: its status must be described for the call, and its JSON must have the
 * described form and no other members. Responses of other addresses are accepted.
 *
 * @throws if the response is not as described
 */
export async function requireAsDescribed(method: string, url: string, response: Response): Promise<void> {
  const { pathname } = new URL(url);
  if (!APIS.test(pathname) || method === "OPTIONS" || method === "HEAD") return;
  const what = `${method} ${pathname} → ${response.status}`;
  const answer = described(method, pathname, response.status);
  if (!answer) throw new Error(`${what} is not described in /openapi.json`);
  const schema = answer.content?.["application/json"]?.schema;
  const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
  if (!schema || !(type in (answer.content ?? {}))) {
    throw new Error(`${what} is not the JSON that /openapi.json describes`);
  }
  const validator =
    validators.get(answer) ?? new Validator({ ...(exact(schema) as Schema), components }, "2020-12", false);
  validators.set(answer, validator);
  // JSON can only write half a surrogate pair as an escape. The validator cannot name a member that contains one.
  const text = (await response.clone().text()).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "?");
  for (const json of type === "text/plain" ? text.trimEnd().split("\n") : [text]) {
    const { valid, errors } = validator.validate(JSON.parse(json));
    if (!valid) throw new Error(`${what} is not as described: ${JSON.stringify(errors.slice(0, 4))}`);
  }
}

/**
 * Finds the description of a response. Addresses without a route, and wrong methods, have the same responses everywhere.
 */
function described(method: string, pathname: string, status: number): Answer | undefined {
  // The description has each call of the Indexing API once, under the first of its two base paths.
  const path = pathname.replace(INDEXING_BASES[1], INDEXING_BASES[0]);
  const operations = paths.find(({ address }) => address.test(path))?.operations;
  const responses = operations?.[method.toLowerCase()]?.responses;
  const shared = description.components.responses as unknown as Readonly<Record<string, Answer>>;
  const answer = responses ? responses[String(status)] : status === 500 ? undefined : shared[String(status)];
  return answer?.$ref === undefined ? answer : shared[String(status)];
}

/** Returns a schema that allows no members that it doesn't name. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, exact(value)]));
  const isObject = "properties" in inner && !("additionalProperties" in inner);
  return isObject ? { ...inner, additionalProperties: false } : inner;
}
