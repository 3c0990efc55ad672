/**
 * Whether a row's email is the placeholder of a service account. Names of machines have no @, so an address with this prefix is a
 * person's.
 */
export const IS_MACHINE = "(email GLOB 'service-account:*' AND email NOT GLOB '*@*')";

/*
 * A service account has a row of `people`, because whatever asks who may see a document asks the same of both. Parameters: the id, the
 * instance, then what each statement names.
 */

/** Adds the row: when it is made, its placeholder, its name and its groups. */
export const addMachine = (condition: string) =>
  `INSERT INTO people (id, instance_id, email, name, directory_groups, created_at) SELECT ?1, ?2, ?4, ?5, ?6, ?3
   WHERE ${condition}`;

/** Sets the groups, the fourth parameter. */
export const setMachineGroups = (condition: string) =>
  `UPDATE people SET directory_groups = ?4 WHERE id = ?1 AND instance_id = ?2 AND ${condition}`;

export const reactivateMachine = (condition: string) =>
  `UPDATE people SET deactivated_at = NULL WHERE id = ?1 AND instance_id = ?2 AND released_at IS NULL AND ${condition}`;

/** Deactivates it at a time. */
export const DEACTIVATE_MACHINE = `UPDATE people SET deactivated_at = coalesce(deactivated_at, ?3)
  WHERE id = ?1 AND instance_id = ?2 AND ${IS_MACHINE}`;

/** Gives up its name at a time. The row stays, because a token could still name it. */
export const RELEASE_MACHINE = `UPDATE people SET released_email = email, email = 'released ' || id, directory_groups = '[]',
    released_at = ?3
  WHERE id = ?1 AND instance_id = ?2 AND ${IS_MACHINE}`;

/** Whether a machine's row has given up its name. */
export const IS_RELEASED_MACHINE =
  "EXISTS (SELECT 1 FROM people p WHERE p.id = ?1 AND p.released_email GLOB 'service-account:*')";
