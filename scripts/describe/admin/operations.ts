import { APP_DESCRIPTIONS } from "./app-answers.ts";
import { CONTENT_DESCRIPTIONS } from "./content-answers.ts";
import { DIAGNOSIS_DESCRIPTIONS } from "./diagnosis-answers.ts";
import { ISSUER_DESCRIPTIONS } from "./issuer-answers.ts";
import { MACHINE_DESCRIPTIONS } from "./machine-answers.ts";
import type { DescribedOperations } from "./described.ts";
import { PEOPLE_DESCRIPTIONS } from "./people-answers.ts";
import { PLACEMENT_DESCRIPTIONS } from "./placement-answers.ts";
import { SETTINGS_DESCRIPTIONS } from "./settings-answers.ts";
import { TOKEN_DESCRIPTIONS } from "./token-answers.ts";
import { TRANSMITTER_DESCRIPTIONS } from "./transmitter-answers.ts";

/**
 * Describes every operation of `ADMIN_OPERATIONS` and its response, only for the API description. Creating the schemas of responses
 * takes as long as creating all others of this API, so a Worker that starts doesn't create them.
 */
export const ADMIN_DESCRIPTIONS: DescribedOperations = {
  ...APP_DESCRIPTIONS,
  ...PEOPLE_DESCRIPTIONS,
  ...MACHINE_DESCRIPTIONS,
  ...SETTINGS_DESCRIPTIONS,
  ...ISSUER_DESCRIPTIONS,
  ...TRANSMITTER_DESCRIPTIONS,
  ...TOKEN_DESCRIPTIONS,
  ...CONTENT_DESCRIPTIONS,
  ...PLACEMENT_DESCRIPTIONS,
  ...DIAGNOSIS_DESCRIPTIONS,
};
