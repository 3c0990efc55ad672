/**
 * Whether a row's email is the placeholder of a service account. Names of machines have no @, so an address with this prefix is a
 * person's.
 */
export const IS_MACHINE = "(email GLOB 'service-account:*' AND email NOT GLOB '*@*')";
