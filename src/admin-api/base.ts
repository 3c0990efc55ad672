/** Where the Admin API stands. */
export const ADMIN_API_BASE = "/rest/api/admin/v1";
