import { onOurPages } from "#app-access/app-access.ts";
import type { GetDocuments } from "#client-api/documents/get-documents.ts";
import type { Anchors } from "#documents/anchors.ts";
import { readable } from "#documents/words.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import { createFactory } from "#platform/handlers.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldName } from "#protocol/folding.ts";
import type { SignedInEnv } from "#session/session-middleware.tsx";
import { DocumentPage, type Section } from "./views/document-page.tsx";

const pages = createFactory<SignedInEnv<{ readonly getDocuments: GetDocuments }>>();

/** GET /documents/:datasource/:id: a document as the signed-in person may see it. */
export const documentPageEndpoint = pages.createHandlers(async (c) => {
  const { instance, services, session, locale = ENGLISH_LOCALE } = c.var;
  const { issuer, policy } = instance;
  const name = { datasource: foldName(c.req.param("datasource") ?? ""), externalId: c.req.param("id") ?? "" };
  const document = await services.getDocuments.one(policy, onOurPages(session.person), name);
  if (document === undefined) {
    throw new ApiError("not_found", {
      reason: "document_absent",
      description: "There is no such document, or you may not see it. Ask its owner for access",
    });
  }
  const title = readable(document.title);
  const content = readable(document.content ?? "");
  const text = withoutHeading(content, title);
  return c.html(
    <DocumentPage
      brand={brandOf(policy)}
      locale={locale}
      person={session.person}
      csrfToken={session.csrfToken}
      document={{
        ...document,
        title,
        sections: sectionsIn(text, document.anchors ?? [], content.length - text.length),
        source: document.url.startsWith(`${issuer}/documents/`) ? null : document.url,
      }}
    />,
  );
});

/** Cuts a text where its sections begin. @param left how many characters before it were left out */
function sectionsIn(text: string, anchors: Anchors, left: number): Section[] {
  const starts = anchors.map(([start, fragment]) => ({ at: Math.max(start - left, 0), fragment }));
  const first = { at: 0, fragment: null };
  return [first, ...starts].map(({ at, fragment }, place) => ({ fragment, text: text.slice(at, starts[place]?.at) }));
}

/** Removes the first line if it is the title, which the page shows above the text. */
function withoutHeading(text: string, title: string): string {
  const start = text.trimStart();
  const end = start.indexOf("\n");
  const first = start.slice(0, Math.max(end, 0)).replace(/^#{1,6} /, "");
  return end > 0 && first.trim() === title.trim() ? start.slice(end + 1).replace(/^[\r\n]+/, "") : text;
}
