export const ADMIN_API_BASE = "/rest/api/admin/v1";
