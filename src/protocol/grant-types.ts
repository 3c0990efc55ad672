/** The grant type of a signed assertion (RFC 7523 §2.1). */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
