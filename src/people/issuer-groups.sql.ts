/** Whether a group, `value`, is named for an issuer beside the directory: as `isOfIssuer` says it, and nothing that only resembles it. */
export const IS_OF_ISSUER = "(value GLOB 'http://*|*' OR value GLOB 'https://*|*')";
