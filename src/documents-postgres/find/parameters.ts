import type { SentValue } from "#documents-postgres/database.ts";

/** The values of a statement that is put together. `$1` is the instance, which is sent with every statement. */
export class Parameters {
  readonly values: SentValue[] = [];

  /** @returns how the statement names the value */
  add(value: SentValue, type: string): string {
    this.values.push(value);
    return `$${this.values.length + 1}::${type}`;
  }
}
