import type { GlossaryEntry } from "./glossary.ts";

/** Two names for the same thing. */
const SAME =
  "k8s=kubernetes postgres=postgresql js=javascript ts=typescript i18n=internationalization l10n=localization a11y=accessibility " +
  "regex=regular_expression sso=single_sign_on mfa=multi_factor_authentication 2fa=two_factor_authentication " +
  "pto=paid_time_off wfh=work_from_home faq=frequently_asked_questions nda=non_disclosure_agreement hr=human_resources " +
  "ci=continuous_integration vpn=virtual_private_network mgmt=management dept=department";

/** Short forms. Whoever types the whole word doesn't mean what programs call by the short one. */
const SHORT =
  "db=database config=configuration conf=configuration auth=authentication repo=repository env=environment param=parameter params=parameters " +
  "arg=argument args=arguments dir=directory docs=documentation doc=documentation prod=production dev=development admin=administrator " +
  "app=application apps=applications info=information perf=performance infra=infrastructure spec=specification " +
  "sync=synchronization async=asynchronous stats=statistics msg=message org=organization pwd=password lib=library " +
  "os=operating_system ui=user_interface ux=user_experience qa=quality_assurance pr=pull_request";

/** Returns abbreviations that are usual everywhere, as entries of a glossary. */
export function commonTerms(): GlossaryEntry[] {
  const entriesOf = (list: string, isTwoWay: boolean) =>
    list.split(" ").map((pair) => {
      const [term = "", meaning = ""] = pair.split("=");
      return { term, meaning: meaning.replaceAll("_", " "), isTwoWay, language: null };
    });
  return [...entriesOf(SAME, true), ...entriesOf(SHORT, false)];
}
