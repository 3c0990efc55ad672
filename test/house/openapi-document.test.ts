import { readFileSync } from "node:fs";
import { NAMES } from "../../scripts/describe/names.ts";
import { openApiDocument } from "../../scripts/describe/openapi.ts";
import { describeTools } from "../../scripts/describe/tools.ts";
import { WORDS } from "../../scripts/describe/words.ts";
import { markOf, TYPES_FILE } from "../../scripts/describe/client-types.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";

type Member = Readonly<Record<string, unknown>>;

const document = openApiDocument();

/** Returns every property of every object in the document, with the name of its schema. */
function members(): { readonly schema: string; readonly name: string; readonly member: Member }[] {
  const found: { schema: string; name: string; member: Member }[] = [];
  const walk = (node: unknown, schema: string) => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "properties") {
        for (const [name, member] of Object.entries(value as Record<string, Member>))
          found.push({ schema, name, member });
      }
      walk(value, schema);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name);
  walk(document.components.responses, "Error");
  walk(document.paths, "an unnamed schema");
  return found;
}

/** Checks whether a property needs an example: its type neither lists all values nor refers to schemas with their own. */
function wantsExample({ type, items, enum: values, $ref, description, ...rest }: Member): boolean {
  if ($ref !== undefined || values !== undefined || "const" in rest || type === "boolean") return false;
  const choices = rest["anyOf"] as readonly Member[] | undefined;
  if (choices?.every((one) => one["type"] === "null" || !wantsExample(one))) return false;
  if (description === WORDS["version"]?.[0]) return false;
  return !JSON.stringify([items, rest["anyOf"], rest["additionalProperties"]]).includes("$ref");
}

describe("the OpenAPI description of the APIs", () => {
  it("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document) as never)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("is refused by the validator if a required member is missing", async () => {
    const { info: _left, ...incomplete } = document;
    expect(await new Validator().validate(incomplete as never)).toMatchObject({ valid: false });
  });

  it("matches public/api-description.json (npm run describe)", () => {
    expect(JSON.parse(readFileSync("public/api-description.json", "utf8"))).toEqual(
      JSON.parse(JSON.stringify(document)),
    );
  });

  it("comes with public/mcp-tools.json, which matches the MCP tools (npm run describe)", () => {
    expect(JSON.parse(readFileSync("public/mcp-tools.json", "utf8"))).toEqual(
      JSON.parse(JSON.stringify(describeTools())),
    );
  });

  it("matches the types of the typed client (npm run describe)", () => {
    expect(readFileSync(TYPES_FILE, "utf8").split("\n")[0]).toBe(markOf(JSON.stringify(document)));
  });

  it("describes every property, and gives an example if the type does not list all values", () => {
    const all = members();
    expect(all.length).toBeGreaterThan(150);
    expect(all.filter(({ member }) => !member["description"])).toEqual([]);
    expect(all.filter(({ member }) => wantsExample(member) && member["examples"] === undefined)).toEqual([]);
  });

  it("names every schema, and has no descriptions or names that are not used", () => {
    const all = members();
    expect(all.filter(({ schema }) => schema === "an unnamed schema")).toEqual([]);
    const said = new Set(
      all.flatMap(({ schema, name }) => (`${schema}.${name}` in WORDS ? [`${schema}.${name}`] : [name])),
    );
    expect(Object.keys(WORDS).filter((key) => !said.has(key))).toEqual([]);
    expect(Object.values(NAMES).filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  it("describes every body of a request to its last member", () => {
    const bodies = Object.entries(document.paths).flatMap(([path, calls]) =>
      Object.entries(calls as Record<string, { requestBody?: { content: Record<string, { schema?: Member }> } }>).map(
        ([method, { requestBody }]) => ({ call: `${method} ${path}`, body: requestBody?.content["application/json"] }),
      ),
    );
    const described = (schema: Member = {}) => {
      const of = document.components.schemas[String(schema["$ref"]).split("/").at(-1) ?? ""];
      return Object.keys(of?.["properties"] ?? {}).length > 0;
    };
    const undescribed = bodies.filter(({ body }) => body !== undefined && !described(body.schema));
    expect(undescribed.map(({ call }) => call)).toEqual([]);
  });

  it("has a summary and a unique operationId for every call", () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object) as Member[]);
    expect(operations.filter(({ summary }) => !summary)).toEqual([]);
    const ids = operations.flatMap(({ operationId }) => operationId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
