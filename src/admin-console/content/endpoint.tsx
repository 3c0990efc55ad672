import { consoleForm, type ConsolePaths, leadTo, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import type { HeldTarget } from "#administration/content-acts.ts";
import { shardsOf } from "#documents/moving/engines.ts";
import { nameOfId } from "#documents/document-name.ts";
import { readable } from "#documents/words.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import { bringBackQuestion, ContentPage, DocumentPage, removeHeldQuestion } from "./views/content-pages.tsx";
import { DatasourcePage } from "./views/datasource-page.tsx";

const DATASOURCE = "/content/:datasource";
const LATE = "Nothing was changed: nothing of this is held any more, or can be brought back.";

/** The documents, by datasource, and what uploads remove. */
export const CONTENT_PATHS: ConsolePaths = {
  // Every datasource with its size and last upload. With `document`, redirects to that document's page.
  "/content": {
    page: async (c) => {
      const { instance, services } = c.var;
      const { instanceId, documents } = instance.policy;
      const [text = ""] = readQuery(c).all("document");
      if (text !== "") {
        const { datasource, externalId } = nameOfId(text.trim());
        return c.redirect(documentPath(datasource, externalId), 303);
      }
      const stats = await services.documents.stats(instanceId);
      return render(c, <ContentPage stats={stats} objects={shardsOf(documents.engine)} />);
    },
  },
  [DATASOURCE]: { page: showDatasource },
  // What is stored about a document, except its text.
  "/content/:datasource/document": {
    page: async (c) => {
      const { instance, services } = c.var;
      const datasource = c.req.param("datasource") ?? "";
      const [id = ""] = readQuery(c).all("id");
      const document = await services.documents.inspectDocument(instance.policy.instanceId, datasource, id);
      if (!document) throw notFound("document");
      return render(
        c,
        <DocumentPage datasource={datasource} document={{ ...document, title: readable(document.title) }} />,
      );
    },
  },
  "/content/:datasource/held/remove": consoleForm({
    act: "content.removeHeld",
    button: "Remove them",
    about: heldTarget,
    async question(c, target) {
      const { datasource, kind, groupName } = target;
      const { instanceId } = c.var.instance.policy;
      const uploads = await c.var.services.documents.uploads(instanceId, datasource, { kind, groupName });
      const upload = uploads.find(({ status }) => status === "held");
      return upload ? removeHeldQuestion({ ...upload, datasource }) : late(c, datasource);
    },
    decide: ({ administration }, target) => administration.content.removeHeld(target),
    leadsTo: DATASOURCE,
    says: { removed: "What the upload left out is being removed.", late: LATE },
  }),
  "/content/:datasource/held/discard": consoleForm({
    act: "content.discardHeld",
    button: "Keep them",
    about: heldTarget,
    decide: ({ administration }, target) => administration.content.discardHeld(target),
    leadsTo: DATASOURCE,
    says: { kept: "What the upload left out stays. The next upload is checked again.", late: LATE },
  }),
  "/content/:datasource/bring-back": consoleForm({
    act: "content.bringBack",
    button: "Bring them back",
    about: existingDatasource,
    async question(c, datasource) {
      const removed = await removedOf(c, datasource);
      return removed ? bringBackQuestion(removed) : late(c, datasource);
    },
    decide: ({ administration }, datasource) => administration.content.bringBack(datasource),
    leadsTo: DATASOURCE,
    says: {
      broughtBack: "The documents are being brought back. It continues if you close this page.",
      late: LATE,
    },
  }),
};

/** Shows a datasource's uploads, and its documents in order of their ids. */
async function showDatasource(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const datasource = c.req.param("datasource") ?? "";
  const parameters = readQuery(c);
  const [[after], [before]] = [parameters.all("after"), parameters.all("before")];
  const place = before === undefined ? (after === undefined ? {} : { after }) : { before };
  const { datasources } = await services.documents.stats(instanceId);
  const counted = datasources.find(({ name }) => name === datasource);
  if (!counted) throw notFound("datasource");
  const [uploads, removed, list] = await Promise.all([
    services.documents.uploads(instanceId, datasource),
    removedOf(c, datasource),
    services.documents.listDocuments(instanceId, datasource, place),
  ]);
  const at = (where: "after" | "before", id: string | undefined) =>
    id === undefined ? null : `/admin/content/${datasource}?${new URLSearchParams({ [where]: id }).toString()}`;
  return render(
    c,
    <DatasourcePage
      datasource={counted}
      uploads={uploads}
      removed={removed}
      documents={list.documents.map((document) => ({
        ...document,
        title: readable(document.title),
        path: documentPath(datasource, document.externalId),
      }))}
      previous={list.hasEarlier ? at("before", list.documents[0]?.externalId) : null}
      next={list.hasLater ? at("after", list.documents.at(-1)?.externalId) : null}
    />,
  );
}

function late(c: ConsoleContext, datasource: string): Response {
  return leadTo(c, `/admin/content/${encodeURIComponent(datasource)}`, "late");
}

/** Returns which documents of a datasource can be brought back. */
async function removedOf(c: ConsoleContext, datasource: string) {
  const removed = await c.var.services.documents.removedDocuments(c.var.instance.policy.instanceId);
  return removed.find((one) => one.datasource === datasource);
}

/** Returns which held upload a form is about. @throws {ApiError} if there is no such datasource */
async function heldTarget(c: ConsoleContext, field: (name: string) => string | undefined): Promise<HeldTarget> {
  return {
    datasource: await existingDatasource(c),
    kind: KINDS.find((one) => one === field("kind")) ?? "documents",
    groupName: field("group") ?? "",
  };
}

/** Returns the datasource of an address. @throws {ApiError} if there is no such datasource */
async function existingDatasource(c: ConsoleContext): Promise<string> {
  const datasource = c.req.param("datasource") ?? "";
  const { datasources } = await c.var.services.documents.stats(c.var.instance.policy.instanceId);
  if (!datasources.some(({ name }) => name === datasource)) throw notFound("datasource");
  return datasource;
}

const KINDS = ["documents", "users", "groups", "memberships"] as const;

function documentPath(datasource: string, id: string): string {
  return `/admin/content/${encodeURIComponent(datasource)}/document?${new URLSearchParams({ id }).toString()}`;
}

function notFound(what: string): ApiError {
  return new ApiError("not_found", { reason: "document_unknown", description: `There is no such ${what}` });
}
