import { beforeAll, describe, expect, it } from "vitest";
import { NOT_USED } from "../../scripts/describe/words.ts";
import description from "../../public/api-description.json";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
}

type Json = Record<string, unknown>;

const SCHEMAS = description.components.schemas as unknown as Readonly<Record<string, Schema>>;

/** For each pair of members that exclude each other, the one that is left out. */
const LEFT_OUT = ["Group.groupName", "Member.memberGroupName", "Membership.memberGroupName", "DeleteUserRequest.email"];

/** Returns a value that follows the description, with every member that is used. */
function sampleOf(schema: Schema): unknown {
  const name = schema.$ref?.split("/").at(-1) ?? "";
  const { properties } = SCHEMAS[name] ?? {};
  if (properties) {
    const used = Object.entries(properties).filter(
      ([member, { description: words }]) => words !== NOT_USED && !LEFT_OUT.includes(`${name}.${member}`),
    );
    return Object.fromEntries(used.map(([member, inner]) => [member, sampleOf(inner)]));
  }
  if (schema.examples) return schema.examples[0];
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0]);
  if (schema.items) return [sampleOf(schema.items)];
  return schema.enum?.[0] ?? true;
}

/** Yields the same value once for each of its members, with an additional letter in that member's name. */
function* typosIn(
  value: unknown,
): Generator<{ readonly typo: string; readonly member: string; readonly value: unknown }> {
  if (Array.isArray(value)) {
    for (const inner of typosIn(value[0])) yield { ...inner, value: [inner.value] };
  } else if (typeof value === "object" && value !== null) {
    for (const [member, own] of Object.entries(value as Json)) {
      const { [member]: _renamed, ...others } = value as Json;
      yield { typo: `${member}x`, member, value: { ...others, [`${member}x`]: own } };
      for (const inner of typosIn(own)) yield { ...inner, value: { ...value, [member]: inner.value } };
    }
  }
}

const CALLS = Object.entries(description.paths)
  .filter(([path]) => path.startsWith("/rest/api/index/"))
  .flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const { requestBody } = operation as { requestBody?: { content: { "application/json": { schema: Schema } } } };
      const address = path.replace("{groupName}", "Typos").replace("{docId}", "wiki:travel-policy");
      return requestBody
        ? [[method.toUpperCase(), address, requestBody.content["application/json"].schema] as const]
        : [];
    }),
  );

describe("a typo in a member of a call of the Indexing API", () => {
  let tokens: { readonly documents: string; readonly metadata: string };

  let pipeline: Pipeline;

  beforeAll(async () => {
    const instance = await makeInstance();
    pipeline = await Pipeline.of(instance);
    tokens = {
      documents: pipeline.token,
      metadata: (await Pipeline.of(instance, "custommetadata:global_scope")).token,
    };
  });

  it("is tested for every call that has a body", () => {
    expect(CALLS.length).toBeGreaterThan(18);
  });

  it.each(CALLS)("is reported by %s %s, whichever member it is in", async (method, path, schema) => {
    const typos = [...typosIn(sampleOf(schema))];
    expect(typos.length).toBeGreaterThan(0);
    const token = path.includes("custom-metadata") ? tokens.metadata : tokens.documents;
    const ask = async (value: unknown) => {
      const response = await send(`${ORIGIN}${path}`, {
        method,
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify(value),
      });
      const { message = "", warnings = [] } = await response.json<{
        message?: string;
        warnings?: { path: string }[];
      }>();
      return { status: response.status, message, warnings };
    };
    await pipeline.index(draft("travel-policy"));
    await pipeline.post("/api/index/v1/indexgroup", { datasource: "wiki", group: { name: "engineering" } });
    const clean = await ask(sampleOf(schema));
    expect(clean).toEqual({ status: 200, message: "", warnings: [] });
    for (const { typo, member, value } of typos) {
      const { status, message, warnings } = await ask(value);
      const isNamed =
        status === 200
          ? warnings.some(({ path: at }) => at.endsWith(`.${typo}`))
          : status === 400 &&
            new RegExp(`\\b${typo}\\b|\\b${member}\\b.*\\b(missing|received undefined)\\b`).test(message);
      expect({ typo, status, message, warnings, isNamed }).toMatchObject({ isNamed: true });
    }
  });
});
