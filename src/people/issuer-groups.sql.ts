/**
 * Whether a group, `value`, is named after an issuer other than the directory. It matches the same names as `isOfIssuer`.
 */
export const IS_OF_ISSUER = "(value GLOB 'http://*|*' OR value GLOB 'https://*|*')";
