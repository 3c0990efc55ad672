import { randomInt } from "node:crypto";

/** Everybody of a large organisation: they sign in one after the other, so that nobody does it more often than people do. */
const PEOPLE = 20_000;

/** So many of them use an app at a time. */
export const ACTIVE_PEOPLE = 500;

/** Apps that registered themselves. */
export const APPS = 20;

/** Half of the people share the addresses of these offices; the others are at home, each in a network of their own. */
const OFFICES = 40;

/** Half of the apps are hosted, and send from so many servers each; the others run on the machine of who uses them. */
const HOSTED_APPS = APPS / 2;
const SERVERS_OF_APP = 10;

/** Of the organisation's pipelines, and of who registers the apps. */
export const OPERATOR_ADDRESS = "192.0.2.1";

/** A person who uses an app. */
export interface AppUser {
  /** The subject at the identity provider. */
  readonly subject: string;
  /** Which of the {@link APPS}. */
  readonly app: number;
  /** Where the browser sends from. */
  readonly browserAddress: string;
  /** Where the app sends from; another of its servers each time, if it is hosted. */
  appAddress(): string;
}

/** Gives everybody in turn, each with another app than the one before. */
export function peopleInTurn(): () => AppUser {
  let came = 0;
  return () => {
    const user = appUser(came % PEOPLE, (came + Math.floor(came / OFFICES)) % APPS);
    came += 1;
    return user;
  };
}

function appUser(person: number, app: number): AppUser {
  const isInOffice = person % 2 === 0;
  const office = (person / 2) % OFFICES;
  const browserAddress = isInOffice ? `198.51.100.${office}` : `2001:db8:${person.toString(16)}::1`;
  const isHosted = app < HOSTED_APPS;
  const server = () => `203.0.113.${app * SERVERS_OF_APP + randomInt(SERVERS_OF_APP)}`;
  return {
    subject: `person-${person}`,
    app,
    browserAddress,
    appAddress: () => (isHosted ? server() : browserAddress),
  };
}
