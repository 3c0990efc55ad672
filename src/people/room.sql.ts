import { PEOPLE_PER_INSTANCE } from "./people.ts";

/**
 * Whether an instance may have one more person, as a condition of the statement that adds one. It reads an entry for each person: put it
 * last, behind all that says that nobody is added.
 */
export function hasRoom(instance: string): string {
  return `NOT EXISTS (SELECT 1 FROM people WHERE instance_id = ${instance} LIMIT 1 OFFSET ${PEOPLE_PER_INSTANCE - 1})`;
}
