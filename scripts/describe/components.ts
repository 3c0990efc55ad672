import { capital, NAMES } from "./names.ts";
import { WORDS } from "./words.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Collects the objects of JSON Schemas as the named schemas of an OpenAPI document. Equal objects are one schema, with the name
 * of the first.
 */
export class Components {
  readonly #byContent = new Map<string, string>();
  readonly #schemas = new Map<string, Json>();

  /** Returns the named schemas, by name. */
  get schemas(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /**
   * Returns the schema with a reference for every object that has members.
   *
   * @param place the object's name, unless {@link NAMES} has another
   */
  hoist(schema: unknown, place: string): unknown {
    if (Array.isArray(schema)) return schema.map((one, at) => this.hoist(one, `${place}${at + 1}`));
    if (typeof schema !== "object" || schema === null) return schema;
    const name = NAMES[place] ?? place;
    const inner = Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, this.#hoistMember(key, value, name)]),
    );
    if (inner["type"] !== "object" || !("properties" in inner)) return inner;
    const content = JSON.stringify(inner);
    const known = this.#byContent.get(content) ?? name;
    if (!this.#byContent.has(content) && this.#schemas.has(known)) throw new Error(`two schemas are named ${known}`);
    this.#byContent.set(content, known);
    this.#schemas.set(known, { ...inner, properties: inWords(known, inner["properties"] as Json) });
    return { $ref: `#/components/schemas/${known}` };
  }

  #hoistMember(key: string, value: unknown, name: string): unknown {
    switch (key) {
      case "properties":
        return Object.fromEntries(
          Object.entries(value as Json).map(([member, schema]) => [member, this.hoist(schema, name + capital(member))]),
        );
      case "items":
        return this.hoist(value, `${name}Item`);
      case "anyOf":
      case "oneOf":
        return this.hoist(value, `${name}Choice`);
      case "additionalProperties":
        return this.hoist(value, `${name}Value`);
      default:
        return value;
    }
  }
}

/** Returns the members of a schema, each with its description and, unless its type lists all values, an example. */
export function inWords(schema: string, members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const [description, example] = WORDS[`${schema}.${name}`] ?? WORDS[name] ?? [];
      return [name, { ...(member as Json), description, ...(example === undefined ? {} : { examples: [example] }) }];
    }),
  );
}
