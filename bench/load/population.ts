import { randomInt } from "node:crypto";

/**
 * Everybody in a large organisation. They sign in one after another, so that nobody does so more often than people do.
 */
const PEOPLE = 20_000;

/** The number of people who use an app at a time. */
export const ACTIVE_PEOPLE = 500;

/** Apps that registered themselves. */
export const APPS = 20;

/** Half of the people share the addresses of these offices. The others are at home, each in their own network. */
const OFFICES = 40;

/** Half of the apps are hosted, and each sends from this many servers. The others run on their user's machine. */
const HOSTED_APPS = APPS / 2;
const SERVERS_OF_APP = 10;

/** The address of the organisation's pipelines, and of whoever registers the apps. */
export const OPERATOR_ADDRESS = "192.0.2.1";

/** A person who uses an app. */
export interface AppUser {
  /** The subject at the identity provider. */
  readonly subject: string;
  /** Which of the {@link APPS}. */
  readonly app: number;
  /** The address that the browser sends from. */
  readonly browserAddress: string;
  /** The address that the app sends from. A hosted app uses one of its servers at random. */
  appAddress(): string;
}

/** Returns everybody in turn, each with a different app than the previous one. */
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
