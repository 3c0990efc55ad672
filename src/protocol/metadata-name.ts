/**
 * The name of a group or key of custom metadata. Its first character is a letter or a digit: otherwise a query would read the name as
 * excluded (`-hr`), and a URL would read it as a folder (`..`).
 */
export const METADATA_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

/** {@link METADATA_NAME} in words. */
export const METADATA_NAME_RULE =
  "1 to 50 letters, digits, hyphens, underscores and dots, and begins with a letter or a digit";
