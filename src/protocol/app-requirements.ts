/**
 * What an app can be required to do beyond OAuth 2.1: push its requests (RFC 9126), bind its tokens to a key (RFC 9449), authenticate
 * with a signed assertion (RFC 7523). FAPI 2.0 requires all three.
 */
export const APP_REQUIREMENTS = ["par", "dpop", "private_key_jwt"] as const;
export type AppRequirement = (typeof APP_REQUIREMENTS)[number];
