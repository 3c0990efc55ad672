import { PEOPLE_PER_INSTANCE } from "./people.ts";

/** Returns the condition that an instance can have another person, for the statement that adds one. */
export function hasRoom(instance: string): string {
  return `EXISTS (SELECT 1 FROM people_counts WHERE instance_id = ${instance} AND people < ${PEOPLE_PER_INSTANCE})`;
}
