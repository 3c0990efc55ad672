import { PEOPLE_PER_INSTANCE } from "./people.ts";

/**
 * Whether an instance may have one more person, as a condition of the statement that adds one. It reads an index entry for each person, so
 * put it after all other conditions.
 */
export function hasRoom(instance: string): string {
  return `NOT EXISTS (SELECT 1 FROM people WHERE instance_id = ${instance} LIMIT 1 OFFSET ${PEOPLE_PER_INSTANCE - 1})`;
}
