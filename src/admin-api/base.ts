/** The path of the Admin API. */
export const ADMIN_API_BASE = "/rest/api/admin/v1";
