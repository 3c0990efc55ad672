import { D1AppRules } from "#app-access/app-rules.d1.ts";
import { D1AuditDeliveries } from "#audit/audit-delivery.d1.ts";
import { auditedDatabase } from "#audit/audited-store.sql.ts";
import { D1Audit } from "#audit/audit.d1.ts";
import { D1Refusals } from "#audit/refusals.d1.ts";
import { D1PendingRequests } from "#authorization-requests/pending-requests.d1.ts";
import { D1SigningKeyStore } from "#authorization-server/signing-keys/signing-keys.d1.ts";
import { D1Logos } from "#branding/logos.d1.ts";
import { D1ClientDecisions } from "#clients/client-decisions.d1.ts";
import { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import type { EndGrantsOfClients } from "#clients/client-removal.sql.ts";
import { D1Clients } from "#clients/clients.d1.ts";
import { D1AppRequests } from "#clients/app-requests.d1.ts";
import { D1Registrations } from "#clients/registrations.d1.ts";
import { D1ConnectionSteps } from "#connection-attempts/connection-steps.d1.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { D1GroupSchemas } from "#custom-metadata/group-schemas.d1.ts";
import { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import { D1Alerts } from "#doctor/alerts.d1.ts";
import { KvProbe } from "#doctor/probes.kv.ts";
import { D1Moves } from "#documents/moving/moves.d1.ts";
import { endAssertedGrants, endGrantsOfClients } from "#grants/ending.sql.ts";
import { D1UnfoundWords } from "#glossary/unfound-words.d1.ts";
import { D1Glossaries } from "#glossary/glossaries.d1.ts";
import { D1Grants } from "#grants/grants.d1.ts";
import { D1GrantHolders } from "#grants/grant-holder.d1.ts";
import { D1TokenGrants } from "#grants/token-grants.d1.ts";
import { D1Instances } from "#instance/instances.d1.ts";
import { D1PolicySource } from "#instance/policy-snapshot.d1.ts";
import { D1ExternalIssuers } from "#issuers/external-issuers.d1.ts";
import { D1Maintenance } from "#maintenance/maintenance.d1.ts";
import { endAccessOfRemovedSso } from "#people/endings.sql.ts";
import { D1ExternalPeople } from "#people/external-people.d1.ts";
import { forgetGroupsOfIssuer } from "#people/issuer-groups.sql.ts";
import { D1NamedPeople } from "#people/named-people.d1.ts";
import { D1People } from "#people/people.d1.ts";
import { D1PeopleStandings } from "#people/person.d1.ts";
import { D1Seers } from "#people/seers.d1.ts";
import type { Bindings } from "#platform/bindings.ts";
import { readsRepeated } from "#platform/d1.ts";
import { KvPublicCache } from "#platform/public-cache.kv.ts";
import { D1ServiceAccounts } from "#service-accounts/service-accounts.d1.ts";
import { D1Succession } from "#service-tokens/rotate-token.d1.ts";
import { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { D1Sessions } from "#session/sessions.d1.ts";
import { D1SignOuts } from "#signals/sign-outs.d1.ts";
import { D1Transmitters } from "#signals/transmitters.d1.ts";
import { D1SpentIds } from "#spent-ids/spent-ids.d1.ts";
import { D1Usage } from "#usage/usage.d1.ts";

/** Creates every store of the Worker. Stores are created nowhere else. */
export function createStores(bindings: Bindings, keyring: Keyring) {
  const DB = readsRepeated(bindings.DB);
  const audited = auditedDatabase(DB, keyring);
  const endOfClients: EndGrantsOfClients = (...ending) => endGrantsOfClients(audited, ...ending);
  return {
    alerts: new D1Alerts(DB),
    appRules: new D1AppRules(audited),
    appRequests: new D1AppRequests(audited),
    audit: new D1Audit(audited),
    auditDeliveries: new D1AuditDeliveries(audited),
    clientDecisions: new D1ClientDecisions(audited, endOfClients),
    clientDirectory: new D1ClientDirectory(DB),
    clients: new D1Clients(DB),
    connectionSteps: new D1ConnectionSteps(DB),
    cacheProbe: new KvProbe(bindings.CACHE),
    directoryGroups: new D1DirectoryGroups(audited),
    directoryUsers: new D1DirectoryUsers(audited),
    externalIssuers: new D1ExternalIssuers(audited, endAssertedGrants, forgetGroupsOfIssuer),
    externalPeople: new D1ExternalPeople(DB),
    glossaries: new D1Glossaries(audited),
    grantHolders: new D1GrantHolders(DB),
    grants: new D1Grants(audited),
    groupSchemas: new D1GroupSchemas(audited),
    instances: new D1Instances(audited, endAccessOfRemovedSso),
    logos: new D1Logos(audited),
    maintenance: new D1Maintenance(DB),
    moves: new D1Moves(audited),
    namedPeople: new D1NamedPeople(DB),
    pendingRequests: new D1PendingRequests(audited),
    people: new D1People(audited),
    policy: new D1PolicySource(DB),
    publicCache: new KvPublicCache(bindings.CACHE),
    refusals: new D1Refusals(audited),
    registrations: new D1Registrations(DB, endOfClients),
    seers: new D1Seers(DB),
    serviceAccounts: new D1ServiceAccounts(audited),
    serviceTokens: new D1ServiceTokens(audited),
    sessions: new D1Sessions(audited),
    signingKeys: new D1SigningKeyStore(audited),
    signOuts: new D1SignOuts(audited),
    spentIds: new D1SpentIds(DB),
    standings: new D1PeopleStandings(audited),
    succession: new D1Succession(audited),
    tokenGrants: new D1TokenGrants(audited),
    transmitters: new D1Transmitters(audited),
    unfoundWords: new D1UnfoundWords(DB),
    usage: new D1Usage(DB),
  };
}
