import { PEOPLE_PER_INSTANCE } from "./people.ts";

/** Returns the condition that an instance can have another person, for the statement that adds one. */
export function hasRoom(instance: string): string {
  return `EXISTS (SELECT 1 FROM people_counts WHERE instance_id = ${instance} AND people < ${PEOPLE_PER_INSTANCE})`;
}

/**
 * Returns the statement that adds a person. Nobody is added if the instance is full or somebody has this address: what follows in the
 * same transaction finds that person by it.
 *
 * @param columns each value as SQL, such as `?2`
 */
export function addPerson(
  columns: Readonly<Record<"id" | "instance_id" | "email" | "name" | "created_at", string>> & {
    deactivated_at?: string;
  },
  condition = "TRUE",
): string {
  return `INSERT INTO people (${Object.keys(columns).join(", ")}) SELECT ${Object.values(columns).join(", ")}
    WHERE ${condition} AND ${hasRoom(columns.instance_id)} ON CONFLICT DO NOTHING`;
}
