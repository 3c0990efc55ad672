/** The English texts, by key. `{name}` stands for a value. */
export const ENGLISH = {
  help: "Help",
  protected_by: "Protected by {service}",
  request_id: "Request id",
  search: "Search",

  scope_SEARCH: "Search for you",
  scope_SEARCH_detail: "Find documents that you may see, and show their titles and excerpts",
  scope_CHAT: "Chat for you",
  scope_CHAT_detail: "Ask the assistant questions, answered from documents that you may see",
  scope_DOCUMENTS: "Read documents for you",
  scope_DOCUMENTS_detail: "Fetch the full text of documents that you may see",
  scope_offline_access: "Stay connected",
  scope_offline_access_detail: "Keep access while you are away, until you, the app or your organisation ends it",
  scope_openid: "Recognise you",
  scope_openid_detail: "Get an id for your account here, and use it to sign you in",
  scope_email: "See your name and email address",
  scope_email_detail: "Read your name and email address",

  consent_title: "Allow {app}?",
  consent_heading: "Allow {app} to use your work search?",
  consent_abilities: "It will be able to",
  consent_optional: "– clear what you don’t want to allow",
  consent_step_up: "{app} already has access and asks for more. If you deny, it keeps its current access.",
  consent_new: "(new)",
  consent_deny: "Deny",
  consent_allow: "Allow",
  consent_days: "{count} days",
  consent_hours: "{count} hours",
  consent_minutes: "{count} minutes",
  consent_end: "Access ends after {time} at the latest. You can revoke access at any time in {account}.",
  consent_account: "your connected apps",
  consent_ask: "Not sure? Ask {contact}.",
  consent_described_by: "Described by",
  consent_destination: "Your response is sent to",
  consent_loopback: "on this device",
  consent_page: "The app’s page",
  consent_page_claimed: "The app’s page, according to the app",
  consent_signed_in_as: "You are signed in as",
  consent_switch: "Use another account",
  consent_approved: "Approved by {organisation}.",
  consent_known: "{name}, known to {organisation}.",
  consent_known_detail: "The address above is the one that its maker publishes. {organisation} has not approved it.",
  consent_unverified: "Not verified.",
  consent_registered_itself: "This app registered itself.",
  consent_described_itself: "This app is described only by its own site.",
  consent_unchecked: "{organisation} has not checked its name or who runs it.",
  consent_own_device: "Allow only if you just started this yourself on this device.",

  refusal_title: "We can’t continue with this request",
  refusal_title_failure: "We can’t do this right now",
  refusal_other: "The app’s request is not valid. For the app’s developer:",
  refusal_step:
    "Close this page, go back to your app and connect again. If you see this page again, send the request id to your " +
    "administrator, who can look it up under {connections}.",
  refusal_contact: "Contact (include the request id)",
  refusal_reason: "Reason, in local development only",
  return_notice:
    "The app asks to send you to {destination}. {organisation} has not checked who runs it. Go there only if you came from there.",
  return_button: "Go back to {destination}",

  sign_in: "Sign in",
  sign_in_to: "Sign in to {service}",
  sign_in_account: "Use your {organisation} account.",
  signed_out: "Signed out",
  signed_out_heading: "You are signed out",
  signed_out_detail:
    "You may still be signed in to your {organisation} account. On a shared computer, sign out there too.",
  sign_in_again: "Sign in again",
  cancel: "Cancel",
  step_up_title: "Sign in again to continue",
  step_up_detail: "To continue with “{act}”, confirm that it’s you. Nothing has been changed yet.",
  step_up_kept: "You’ll come back here with everything you entered.",
  step_up_not_kept: "You’ll have to fill in the form again, because it contains a secret that we don’t keep.",
  held_title: "Continue",
  held_heading: "{act}?",
  held_detail: "You’re signed in again, and everything you entered is still here. Nothing has been changed yet.",

  welcome_heading: "Work search of {organisation}",
  welcome_enabled: "Add this URL to your assistant or editor, then sign in.",
  welcome_disabled: "Access for apps is not turned on yet. An administrator can turn it on in the admin console.",
  welcome_apps: "Your connected apps",

  account_title: "Connected apps",
  account_heading: "Apps connected to your work search",
  account_lead:
    "You allowed these apps to search for you. They find only documents that you may see. If you revoke access, an app stops " +
    "working within 10 seconds; it can ask you again.",
  account_none: "No app has access.",
  account_destination: "Responses are sent to {destination}.",
  account_remembered: "Not connected now. You allowed this {since}, so it may connect again without asking you.",
  account_while_away: "Works while you are away.",
  account_short_time: "Works only for a short time after you sign in.",
  account_since: "Allowed {since}, last renewed {renewed}.",
  account_since_connections: "Allowed {since}, last renewed {renewed}, connected {count} times.",
  account_end: "End access",
  account_end_of: "End access of {app}",
  account_end_all: "End all {count}",
  account_sign_out: "Sign out",
  account_sessions: "Where you are signed in",
  account_session: "Signed in at {since}, last used at {used}",
  account_this_browser: "(this browser)",
  account_end_sessions: "Sign out everywhere else",
  account_signed_in_as: "You are signed in as {name}, {email}.",
  account_admin: "Administration",
  account_done_ended: "Access revoked. The app’s tokens stop working within 10 seconds.",
  account_done_ended_all: "Access revoked for every app. Tokens stop working within 10 seconds.",
  account_done_ended_sessions: "You are signed out everywhere else.",
  account_done_nothing: "That app no longer had access.",
} as const;

export type MessageKey = keyof typeof ENGLISH;

/** The names in braces of a message. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** What a message needs to be said: a value for each of its names. */
export type ValuesOf<Key extends MessageKey, Value> = Readonly<Record<NamesIn<(typeof ENGLISH)[Key]>, Value>>;
