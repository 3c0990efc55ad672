/** What stands in place of a service account's email. Names of machines have no @, so an address that begins like one is a person's. */
export const IS_MACHINE = "(email GLOB 'service-account:*' AND email NOT GLOB '*@*')";
