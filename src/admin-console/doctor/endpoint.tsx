import { render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { DoctorPage } from "./views/doctor-page.tsx";

export async function doctorPage(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const diagnosis = await services.doctor.examine(instance.policy, instance.issuer);
  return render(c, <DoctorPage issuer={instance.issuer} name={instance.policy.name} diagnosis={diagnosis} />);
}
