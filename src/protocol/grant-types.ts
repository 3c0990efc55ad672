/** The grant type for a machine with its own credentials (RFC 6749 §4.4). */
export const CLIENT_CREDENTIALS = "client_credentials";

/** The grant type of a signed assertion (RFC 7523 §2.1). */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
