/** What objects are called that the schemas do not name, by where they stand first. */
export const NAMES: Readonly<Record<string, string>> = {
  SearchRequestRequestOptions: "SearchOptions",
  SearchOptionsFacetFiltersItem: "FacetFilter",
  FacetFilterValuesItem: "FacetFilterValue",
  SearchResponseResultsItem: "SearchResult",
  SearchResultDocument: "DocumentSummary",
  DocumentSummaryMetadata: "DocumentMetadata",
  DocumentMetadataAuthor: "Author",
  DocumentMetadataCustomDataValueChoice1: "StringValue",
  DocumentMetadataCustomDataValueChoice2: "StringListValue",
  SearchResultSnippetsItem: "Snippet",
  SnippetRangesItem: "SnippetRange",
  SearchResponseFacetResultsItem: "Facet",
  FacetBucketsItem: "FacetBucket",
  SearchResponseMetadata: "SearchMetadata",
  ChatRequestMessagesItem: "ChatMessage",
  ChatMessageFragmentsItem: "ChatFragment",
  ChatResponseMessagesItem: "ChatAnswer",
  ChatAnswerFragmentsItem: "ChatAnswerFragment",
  ChatAnswerCitationsItem: "Citation",
  GetDocumentsRequestDocumentSpecsItemChoice1: "DocumentById",
  GetDocumentsRequestDocumentSpecsItemChoice2: "DocumentByUrl",
  GetDocumentsResponseDocumentsValueChoice1: "FullDocument",
  FullDocumentContent: "DocumentContent",
  GetDocumentsResponseDocumentsValueChoice2: "DocumentAbsent",
  IndexDocumentRequestDocument: "Document",
  DocumentBody: "Text",
  DocumentPermissions: "Permissions",
  PermissionsAllowedUsersItem: "AllowedUser",
  PermissionsAllowedGroupIntersectionsItem: "GroupIntersection",
  IndexDocumentResponse: "Success",
  SuccessWarningsItem: "Warning",
  IndexDocumentsRequestDocumentsItem: "ListedDocument",
  BulkIndexDocumentsResponse: "DocumentsProgress",
  BulkIndexUsersRequestUsersItem: "User",
  BulkIndexUsersResponse: "NamesProgress",
  BulkIndexGroupsRequestGroupsItem: "Group",
  BulkIndexMembershipsRequestMembershipsItem: "Member",
  UploadStatusResponseUploadsItem: "Upload",
  UploadErrorsItem: "UploadError",
  GetDatasourceConfigRequest: "OfDatasource",
  GetDatasourceConfigResponse: "DatasourceConfig",
  IndexMembershipRequestMembership: "Membership",
  PutCustomMetadataSchemaRequest: "MetadataGroup",
  MetadataGroupMetadataKeysItem: "MetadataKey",
  PutDocumentCustomMetadataRequest: "MetadataValues",
  MetadataValuesCustomMetadataItem: "MetadataValue",
};

const WORDS =
  /bulk|index|delete|get|update|check|rotate|process|all|upload|document(?:s(?!tatus))?|users?|groups?|memberships?|permissions|access|status|count|config|datasource|token|search|chat/g;

/** `bulkindexdocuments` → `BulkIndexDocuments`: names of types are read, while those of calls are their addresses. */
export function typeName(operationId: string): string {
  const words = /[A-Z]/.test(operationId) ? operationId : operationId.replaceAll(WORDS, capital);
  return capital(words);
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
