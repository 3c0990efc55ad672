import { render } from "#admin-console/page-endpoint.ts";
import type { DoctorEnv } from "#admin-console/http.ts";
import type { Context } from "hono";
import { DoctorPage } from "./views/doctor-page.tsx";

/** Calls our own routes in this process, because a Worker can't reach its own host over the network. */
export async function doctorPage(c: Context<DoctorEnv>): Promise<Response> {
  const { askSelf, instance, services } = c.var;
  const diagnosis = await services.doctor.examine(instance.policy, instance.issuer, askSelf);
  return render(c, <DoctorPage issuer={instance.issuer} name={instance.policy.name} diagnosis={diagnosis} />);
}
