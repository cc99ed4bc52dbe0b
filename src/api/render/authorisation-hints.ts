import type { AuthoriseCode } from '../../domain/authorisation-question.ts';

/** What the caller or the owner of the file can do about each reason of a denial. */
export const AUTHORISATION_HINTS: Readonly<Record<Exclude<AuthoriseCode, 'authorized'>, string>> = {
  unknown_publisher:
    'request a crawl of the domain with POST /api/registry/crawl-request or agent-registry crawl',
  no_file:
    'the publisher must publish a valid /.well-known/adagents.json; agent-registry validate shows the errors',
  foreign_site: 'that site must publish its own adagents.json, or one that refers to this file',
  revoked: 'remove the publisher from revoked_publisher_domains; this takes effect after 7 days',
  not_named: 'use an agent URL that the file lists, or add an entry with exactly this URL',
  no_such_property: 'use a property that the file lists, or add it to the file',
  signals_only: 'the publisher must add an entry for properties',
  other_property: 'the publisher must add the property to an entry of this agent',
  part_only: 'use one property by identifier or id; covers lists those of the entry',
  unread: 'request a new crawl of the publisher, or shorten the entry so that it can be read in full',
  held: 'run agent-registry explain to see from when the change takes effect',
  collection: 'use a collection that the entry lists',
  placement: 'use a placement that the entry lists',
  country: 'use a country that the entry lists, or add this one to countries',
  ended: 'the publisher must set a later effective_until',
  not_yet: 'try again then, or set at',
  disputed: 'add the publisher of the property to the request',
};
