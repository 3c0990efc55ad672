import { render } from "#admin-console/page-endpoint.ts";
import type { DoctorEnv } from "#admin-console/http.ts";
import { createFactory } from "#platform/handlers.ts";
import { DoctorPage } from "./views/doctor-page.tsx";

/**
 * GET /admin/doctor. Calls our own routes in this process, because a Worker can't reach its own host over the network.
 */
export const doctorPage = createFactory<DoctorEnv>().createHandlers(async (c) => {
  const { askSelf, instance, services } = c.var;
  const diagnosis = await services.doctor.examine(instance.policy, instance.issuer, askSelf);
  return render(c, <DoctorPage issuer={instance.issuer} name={instance.policy.name} diagnosis={diagnosis} />);
});
