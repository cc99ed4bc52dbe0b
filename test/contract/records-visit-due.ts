import { expect } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import { agentAt, authorisation, domain, facts, HOUR, LEASE, NOW } from './records-fixtures.ts';
import { declare, fileVisit, takeOne } from './records-steps.ts';

/** Runs one statement on the store that is looked at, and returns its rows. */
export type AskStore = (text: string) => readonly object[] | Promise<readonly object[]>;

const DAY = 24 * HOUR;
const AGENT = 'https://x.example/mcp';
const MEMBER = { slug: 'orbit', displayName: 'Orbit', foundingMember: false };
const SOURCES =
  'SELECT id, visit, next_visit_at AS at, lease_until, key, registrable_domain, found_via FROM source';
const DUE = 'SELECT source AS id, visit, at, lease_until, key, registrable_domain, found_via FROM visit_due';

/** The rows of a store of schema 10 that has sources but has never heard of due times. */
export const SOURCES_OF_BEFORE = `INSERT INTO source
  (kind, key, visit, registrable_domain, found_via, first_seen_at, next_visit_at, lease_until) VALUES
  ('adagents', 'late.example', 'domain', 'late.example', 'operator', ${NOW}, ${NOW - HOUR}, 0),
  ('brand', 'late.example', 'domain', 'late.example', 'operator', ${NOW}, ${NOW + HOUR}, 0),
  ('adagents', 'held.example', 'domain', 'held.example', 'rank <=1000', ${NOW}, ${NOW - 2 * HOUR}, ${NOW + HOUR}),
  ('agent', '${AGENT}', 'agent', 'x.example', 'a.example adagents', ${NOW}, ${NOW}, 0)`;

/** The due times are those of the sources, row by row. */
export async function expectDueTimes(ask: AskStore, rows: number): Promise<void> {
  const due = await ask(`${DUE} ORDER BY id`);
  expect(due).toHaveLength(rows);
  expect(due).toEqual(await ask(`${SOURCES} ORDER BY id`));
}

/** Changes sources in every way that there is, and compares after each. */
export async function changeSources(records: Records, ask: AskStore): Promise<void> {
  const { sources, members } = records;
  await sources.add([{ ...domain('a.example'), dueAt: NOW + DAY }, domain('b.example')], NOW);
  await expectDueTimes(ask, 4);
  await sources.add([{ ...domain('a.example'), foundVia: 'a list' }], NOW); // now, and for another reason
  await expectDueTimes(ask, 4);
  const taken = await sources.takeDue('domain', 9, NOW, LEASE);
  expect(taken).toHaveLength(2);
  await expectDueTimes(ask, 4);
  await sources.release(taken.flatMap((work) => work.sources.map(({ lease }) => lease)));
  await expectDueTimes(ask, 4);
  const work = await takeOne(records, 'domain', 'b.example');
  const files = [fileVisit(work, 'adagents', { nextVisitAt: NOW + DAY }), fileVisit(work, 'brand')];
  await sources.commitDomainVisit({ domain: 'b.example', at: NOW, files, found: [] });
  await expectDueTimes(ask, 4);
  await declare(
    records,
    'a.example',
    'adagents',
    'said',
    facts({ authorisations: [authorisation('a.example', AGENT)] }),
  );
  await sources.add([agentAt('https://y.example/')], NOW);
  await expectDueTimes(ask, 6);
  await members.import([MEMBER], NOW);
  await members.register({ agent: AGENT, url: AGENT, member: 'orbit', name: 'X' }, NOW + 1);
  await expectDueTimes(ask, 6);
  await declare(records, 'a.example', 'adagents', 'nothing', facts(), NOW + HOUR);
  await sources.due('agent', 9, NOW + 40 * DAY); // puts off what nobody names any more
  await expectDueTimes(ask, 6);
  await sources.due('domain', 9, NOW - 60 * DAY); // the clock was put back: all is too far ahead
  await expectDueTimes(ask, 6);
  await records.prune(NOW + 200 * DAY);
  expect((await ask('SELECT 1 AS one FROM source')).length).toBeLessThan(6);
  await expectDueTimes(ask, (await ask('SELECT 1 AS one FROM source')).length);
}
