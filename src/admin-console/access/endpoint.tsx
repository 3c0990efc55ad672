import { render } from "#admin-console/page-endpoint.tsx";
import { contentOfApp } from "#administration/content-of-app.ts";
import { appNames } from "#admin-console/clients/app-names.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import type { Option } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import { AccessPage } from "./views/access-page.tsx";

/** Shows whether and why a person may see a document, also through an app, and the person's groups. */
export async function accessPage(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const person = await services.people.require(instanceId, c.req.param("id") ?? "");
  const [document = ""] = readQuery(c).all("document");
  const [app = ""] = readQuery(c).all("app");
  const [apps, standing, explained] = await Promise.all([
    limitedApps(c),
    services.accessCheck.standingOf(instanceId, person.email),
    document === ""
      ? null
      : contentOfApp(services, instance.policy, app === "" ? undefined : app)
          .then((content) => services.accessCheck.explain(instanceId, person.email, document, content))
          .catch((error: unknown) => {
            if (error instanceof ApiError && error.status === 404) return error.description;
            throw error;
          }),
  ]);
  const errors = typeof explained === "string" ? { document: explained } : {};
  return render(
    c,
    <AccessPage
      person={person}
      question={{ values: { document, app }, errors }}
      apps={apps}
      explained={typeof explained === "string" ? null : explained}
      standing={standing}
    />,
    typeof explained === "string" ? 404 : 200,
  );
}

/** Returns the apps that may not search everything. The answer is the same for all others. */
async function limitedApps(c: ConsoleContext): Promise<Option[]> {
  const apps = [...c.var.instance.policy.appContent.keys()];
  const nameOf = await appNames(c, apps);
  return apps.map((app) => ({ value: app, label: nameOf(app) }));
}
