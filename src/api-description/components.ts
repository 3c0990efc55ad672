import { capital, NAMES } from "./names.ts";
import { WORDS } from "./words.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Gathers the objects of JSON Schemas as the named schemas of an OpenAPI document: equal objects are one, under the name of the first.
 */
export class Components {
  readonly #byContent = new Map<string, string>();
  readonly #schemas = new Map<string, Json>();

  /** The named schemas, by name. */
  get schemas(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /**
   * The schema with a reference for every object that has members.
   *
   * @param place what the object is called, unless {@link NAMES} says otherwise
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

/** The members of a schema, each with its description and, where its type does not say all values, an example. */
export function inWords(schema: string, members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const [description, example] = WORDS[`${schema}.${name}`] ?? WORDS[name] ?? [];
      return [name, { ...(member as Json), description, ...(example === undefined ? {} : { examples: [example] }) }];
    }),
  );
}
