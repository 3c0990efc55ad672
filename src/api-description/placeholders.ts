/** What the written description has in the place of an instance's origin, and of the service's name. */
export const EXAMPLE_ORIGIN = "https://acme-be.example.com";
export const EXAMPLE_SERVICE = "Gatehouse";
