/** Placeholders in the generated description for an instance's origin and the service's name. */
export const EXAMPLE_ORIGIN = "https://acme-be.example.com";
export const EXAMPLE_SERVICE = "Gatehouse";
