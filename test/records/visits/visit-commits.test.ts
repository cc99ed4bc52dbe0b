import { expect, it } from 'vitest';
import { createVisitCommits } from '../../../src/records/visits/visit-commits.ts';
import {
  agentAt,
  authorisation,
  domain,
  facts,
  HOUR,
  LEASE,
  mention,
  NOW,
} from '../../contract/records-fixtures.ts';
import { fileVisit, reading, takeOne } from '../../contract/records-steps.ts';
import { countedStore } from '../support/plans.ts';

/** How many statements the first visit of a domain takes whose file authorises that many agents. */
async function statementsOfFirstVisit(agents: number): Promise<number> {
  const { records, counted, store } = await countedStore();
  const run = await records.sources.openRun({ fingerprint: 'f', seeds: [domain('news.example')], now: NOW });
  const [work] = await records.sources.takeRun(run.id, 'domain', 1, NOW, LEASE);
  const urls = Array.from({ length: agents }, (_, n) => `https://agent${n}.example/mcp`);
  const sites = urls.map((_, n) => ({ type: 'domain', value: `${n}.news.example` }));
  const declared = facts({
    authorisations: urls.map((agent) => authorisation('news.example', agent)),
    properties: sites.map((site) => ({ propertyType: 'website', identifiers: [site], tags: ['news'] })),
    references: [{ domain: 'group.example', reason: 'house' }],
  });
  const visit = reading(work as never, 'adagents', 'x', declared, {
    found: urls.map((url) => agentAt(url)),
    run: { id: run.id, depth: 0, maxDepth: 1 },
  });
  counted.statements = 0;
  const committed = await createVisitCommits(store).domain(visit);
  expect(committed).toEqual({ accepted: true, newAgents: agents });
  return counted.statements;
}

it('a first visit takes the same few statements, however many agents and properties its file names', async () => {
  expect(await statementsOfFirstVisit(1)).toBe(24);
  expect(await statementsOfFirstVisit(100)).toBe(24);
});

it('visits committed together write the rows that they share once', async () => {
  const statementsOf = async (domains: number) => {
    const { records, counted, store } = await countedStore();
    const names = Array.from({ length: domains }, (_, n) => `news${n}.example`);
    const run = await records.sources.openRun({ fingerprint: 'f', seeds: names.map(domain), now: NOW });
    const works = await records.sources.takeRun(run.id, 'domain', domains, NOW, LEASE);
    const visits = works.map((work) => {
      const sold = authorisation(work.key, 'https://agent.example/mcp');
      return reading(work, 'adagents', 'x', facts({ authorisations: [sold] }), {
        run: { id: run.id, depth: 0, maxDepth: 0 },
      });
    });
    const commits = createVisitCommits(store);
    counted.statements = 0;
    await Promise.all(visits.map((visit) => commits.domain(visit)));
    return counted.statements;
  };
  const [one, two, ten] = [await statementsOf(1), await statementsOf(2), await statementsOf(10)];
  expect(ten - one).toBe(9 * (two - one));
  expect({ ofEach: two - one, shared: one - (two - one) }).toEqual({ ofEach: 10, shared: 9 });
});

it('an unchanged file takes a read and a write of its source and of its last capture', async () => {
  const { records, counted, store } = await countedStore();
  const first = await takeOne(records, 'domain', 'news.example');
  const declared = facts({ mentions: [mention('news.example', 'https://agent.example/mcp')] });
  const visit = reading(first, 'adagents', 'x', declared);
  await records.sources.commitDomainVisit(visit);
  const again = await takeOne(records, 'domain', 'news.example', NOW + 6 * HOUR);
  const files = [fileVisit(again, 'adagents', { captures: visit.files[0]?.captures ?? [] })];
  counted.statements = 0;
  await createVisitCommits(store).domain({ domain: 'news.example', at: NOW + 6 * HOUR, files, found: [] });
  expect(counted.statements).toBe(4);
});
