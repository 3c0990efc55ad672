import { APP_OPERATIONS } from "./app-operations.ts";
import { CONTENT_OPERATIONS } from "./content-operations.ts";
import { DIAGNOSIS_OPERATIONS } from "./diagnosis-operations.ts";
import { ISSUER_OPERATIONS } from "./issuer-operations.ts";
import { TRANSMITTER_OPERATIONS } from "./transmitter-operations.ts";
import type { AdminOperations } from "./operation.ts";
import { MACHINE_OPERATIONS } from "./machine-operations.ts";
import { TOKEN_OPERATIONS } from "./token-operations.ts";
import { PEOPLE_OPERATIONS } from "./people-operations.ts";
import { PLACEMENT_OPERATIONS } from "./placement-operations.ts";
import { SETTINGS_OPERATIONS } from "./settings-operations.ts";
import { SINGLE_SIGN_ON_OPERATIONS } from "./single-sign-on-operations.ts";

/**
 * Every operation of the Admin API, below its base. Routes, scopes and tests are made from this. `scripts/describe/admin/` has the descriptions
 * and responses.
 */
export const ADMIN_OPERATIONS: AdminOperations = {
  ...APP_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...MACHINE_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...SINGLE_SIGN_ON_OPERATIONS,
  ...ISSUER_OPERATIONS,
  ...TRANSMITTER_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...CONTENT_OPERATIONS,
  ...PLACEMENT_OPERATIONS,
  ...DIAGNOSIS_OPERATIONS,
};
