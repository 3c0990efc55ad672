/** What stands in place of a service account's email. No machine's name has an @: somebody whose address begins alike is a person. */
export const IS_MACHINE = "(email GLOB 'service-account:*' AND email NOT GLOB '*@*')";
