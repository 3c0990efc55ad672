import type { InstanceActs } from "./instance-acts.ts";
import type { IssuerActs } from "./issuer-acts.ts";
import type { LogoActs } from "./logo-acts.ts";
import type { PeopleActs } from "./people-acts.ts";
import type { ServiceTokenActs } from "./service-token-acts.ts";
import type { SettingsActs } from "./settings-acts.ts";
import type { SingleSignOnActs } from "./single-sign-on-acts.ts";

/** Everything that administrators can decide. */
export interface Administration {
  readonly instances: InstanceActs;
  readonly issuers: IssuerActs;
  readonly logos: LogoActs;
  readonly people: PeopleActs;
  readonly serviceTokens: ServiceTokenActs;
  readonly settings: SettingsActs;
  readonly singleSignOn: SingleSignOnActs;
}
