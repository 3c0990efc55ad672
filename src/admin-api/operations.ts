import { APP_OPERATIONS } from "./app-operations.ts";
import { CONTENT_OPERATIONS } from "./content-operations.ts";
import { DIAGNOSIS_OPERATIONS } from "./diagnosis-operations.ts";
import type { AdminOperations } from "./operation.ts";
import { MACHINE_OPERATIONS } from "./machine-operations.ts";
import { PEOPLE_OPERATIONS } from "./people-operations.ts";
import { PLACEMENT_OPERATIONS } from "./placement-operations.ts";
import { SECURITY_OPERATIONS } from "./security-operations.ts";

/**
 * Every call of the Admin API, below its base: what its route, the scope that it needs, its description and its tests are
 * made of.
 */
export const ADMIN_OPERATIONS: AdminOperations = {
  ...APP_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...MACHINE_OPERATIONS,
  ...SECURITY_OPERATIONS,
  ...CONTENT_OPERATIONS,
  ...PLACEMENT_OPERATIONS,
  ...DIAGNOSIS_OPERATIONS,
};
