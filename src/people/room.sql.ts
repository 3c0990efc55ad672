import { PEOPLE_PER_INSTANCE } from "./people.ts";

/** Whether an instance may have one more person, as a condition of the statement that adds one. */
export function hasRoom(instance: string): string {
  return `EXISTS (SELECT 1 FROM people_counts WHERE instance_id = ${instance} AND people < ${PEOPLE_PER_INSTANCE})`;
}
