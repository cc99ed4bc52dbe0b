import type { AuthoriseCode } from '../../domain/authorisation-question.ts';

/** What to do about each reason of a no, for whoever asks or for whoever keeps the file. */
export const AUTHORISATION_HINTS: Readonly<Record<Exclude<AuthoriseCode, 'authorized'>, string>> = {
  unknown_publisher: 'have the domain visited, with POST /api/registry/crawl-request or agent-registry crawl',
  no_file:
    'the publisher puts an adagents.json under /.well-known, or mends it as agent-registry validate says',
  foreign_site: 'that site publishes a file of its own, or one that leads to this file',
  revoked: 'the publisher is taken off revoked_publisher_domains, which counts 7 days later',
  not_named: 'ask with a URL that the file lists, or have an entry with exactly this URL added',
  no_such_property: 'ask for a property that the file lists, or have it listed',
  signals_only: 'the publisher adds an entry that is about properties',
  other_property: 'the publisher adds the property to an entry of this agent',
  part_only: 'ask for one property, with its identifier or its id: covers names those of the entry',
  unread: 'have the publisher visited again; an entry that names less is read in full',
  held: 'agent-registry explain says since when the file says so, and from when it counts',
  collection: 'ask for a collection that the entry names',
  placement: 'ask for a placement that the entry names',
  country: 'ask for a country that the entry names, or have this one added to countries',
  ended: 'the publisher sets a later effective_until',
  not_yet: 'ask again then, or ask with at',
  disputed: 'name the publisher whose property is meant',
};
