import { render } from "#admin-console/page-endpoint.ts";
import { pages } from "#admin-console/http.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import { AccessPage } from "./views/access-page.tsx";

/** GET /admin/people/:id/access: whether and why a person may see a document, and the person's groups. */
export const accessPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const person = await services.people.require(instanceId, c.req.param("id") ?? "");
  const [document = ""] = readQuery(c).all("document");
  const [standing, explained] = await Promise.all([
    services.accessCheck.standingOf(instanceId, person.email),
    document === ""
      ? null
      : services.accessCheck.explain(instanceId, person.email, document).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return error.description;
          throw error;
        }),
  ]);
  const errors = typeof explained === "string" ? { document: explained } : {};
  return render(
    c,
    <AccessPage
      person={person}
      question={{ values: { document }, errors }}
      explained={typeof explained === "string" ? null : explained}
      standing={standing}
    />,
    typeof explained === "string" ? 404 : 200,
  );
});
