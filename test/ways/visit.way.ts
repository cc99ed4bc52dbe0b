import { pino } from 'pino';
import { visitDomain } from '../../pipelines/visit-domain.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeVisits } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { ADAGENTS, BRAND, startWeb } from '../scenarios/support/web.ts';
import { filesThatRun, type Way } from './files-that-run.ts';
import type { MeasuredWay } from './run.ts';

const LEASE_MS = 60_000;
/** The command line and the composition make a visit's parts; they take no part in it. */
const NOT_OF_THE_WAY = /^src\/(cli\/|compose)/;

/** A visit of a domain with both of its files, from the first request to the commit. The store is in memory. */
export const way: MeasuredWay = {
  name: "a domain's visit from fetch to commit",
  bound: 60,
  async measure(): Promise<Way> {
    const domains = ['warm.example', 'news.example'];
    const web = await startWeb(Object.fromEntries(domains.map((domain) => [domain, filesOf(domain)])));
    const config = { ...readConfig({}), store: 'sqlite::memory:' };
    const store = await openStore(config, { create: true });
    const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, systemClock);
    const { signal } = new AbortController();
    const context = composeVisits({
      ...{ config, records: store.records, fetcher, clock: systemClock, signal },
      log: pino({ level: 'silent' }),
    });
    const { sources } = store.records;
    const visit = async (domain: string) => {
      const [work] = await sources.takeKeys('domain', [domain], Date.now(), LEASE_MS);
      if (work === undefined) throw new Error(`${domain} is not due`);
      return () => visitDomain(work, context, () => {});
    };
    try {
      const seeds = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
      await sources.add(seeds, Date.now());
      await (await visit('warm.example'))();
      const { files, functions } = await filesThatRun(await visit('news.example'));
      if (context.tally.outcomes.indexed !== 4) throw new Error('not every file was indexed');
      return { files: files.filter((file) => !NOT_OF_THE_WAY.test(file)), functions };
    } finally {
      await fetcher.close();
      await store.close();
      await web.close();
    }
  },
};

function filesOf(domain: string) {
  const identifiers = [{ type: 'domain', value: domain }];
  return {
    [ADAGENTS]: {
      properties: [
        { property_id: 'site', property_type: 'website', name: 'Site', identifiers, tags: ['news'] },
      ],
      authorized_agents: [
        {
          url: `https://sales.${domain}/mcp`,
          authorized_for: 'display',
          authorization_type: 'property_ids',
          property_ids: ['site'],
        },
      ],
    },
    [BRAND]: {
      id: 'news',
      names: [{ en: 'News' }],
      agents: [{ type: 'sales', url: `https://sales.${domain}/mcp`, id: 'sales' }],
    },
  };
}
