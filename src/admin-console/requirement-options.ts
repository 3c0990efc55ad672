import { APP_REQUIREMENTS, type AppRequirement } from "#protocol/app-requirements.ts";
import type { Parameters } from "#protocol/parameters.ts";

const LABELS: Readonly<Record<AppRequirement, string>> = {
  par: "Push its requests (PAR)",
  dpop: "Bind its tokens to a key (DPoP)",
  private_key_jwt: "Authenticate with a key (private_key_jwt)",
};

/** What apps can be required to do, as options of a form. */
export const REQUIREMENT_OPTIONS = APP_REQUIREMENTS.map((value) => ({ value, label: LABELS[value] }));

/** Returns the requirements that are ticked in a form. */
export function tickedRequirements(form: Parameters, name: string): AppRequirement[] {
  return APP_REQUIREMENTS.filter((requirement) => form.all(name).includes(requirement));
}
