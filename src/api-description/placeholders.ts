/** Placeholders in the generated description for an instance's origin, the service's name, and the header derived from it. */
export const EXAMPLE_ORIGIN = "https://acme-be.example.com";
export const EXAMPLE_SERVICE = "Gatehouse";
export const EXAMPLE_AUTH_TYPE_HEADER = "X-Gatehouse-Auth-Type";
