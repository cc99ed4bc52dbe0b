import type { PostgresEngine } from '../../engines/start/postgres.ts';
import { type Dump, differences, sizes } from './canonical-dump.ts';
import { Checks, type FaultContext, type FaultResult } from './fault.ts';
import { type PublisherWeb, refetches } from './publisher-web.ts';
import {
  CONCURRENCY,
  CRAWL_MS,
  openQueueCrawl,
  outcomeOf,
  PROBES,
  type QueueCrawl,
  startQueueWeb,
  stopAll,
} from './queue-crawl.ts';
import { REGISTERED, startRegistrations } from './registrations.ts';
import { undisturbed } from './undisturbed.ts';

/** What is done to PostgreSQL while a crawl goes on. */
export interface Trouble {
  readonly counted: string;
  /** Resolves when the server works again; called once. */
  make(postgres: PostgresEngine, during: During): Promise<void>;
  /** How often work in hand may have been lost, and is done again. */
  readonly times: number;
}

export interface During {
  readonly context: FaultContext;
  readonly crawl: QueueCrawl;
  readonly web: PublisherWeb;
}

const WORKERS = 2;
/** A slot whose visit could not be stored goes on with one that was taken before: both are done again. */
const VISITS_OF_A_SLOT = 2;

/** A crawl through the queue with registrations beside it; the trouble must leave nothing behind. */
export async function crawlInTrouble(trouble: Trouble, context: FaultContext): Promise<FaultResult> {
  const { engines, folder, log } = context;
  const postgres = await engines.postgres();
  const openSearch = (await engines.openSearch()).url;
  const web = await startQueueWeb(context.scale);
  const checks = new Checks();
  try {
    const calm = await undisturbed(postgres, { openSearch, web }, checks);
    log(`undisturbed: ${sizes(calm.dump)}`);
    const crawl = await openQueueCrawl({ store: await postgres.createDatabase(), openSearch, web });
    web.seen();
    const registrations = await startRegistrations(crawl.env, folder);
    const commands = [crawl.startScheduler(), ...Array.from({ length: WORKERS }, () => crawl.startWorker())];
    try {
      await trouble.make(postgres, { context, crawl, web });
    } finally {
      await registrations.stop();
    }
    checks.that('the crawl comes to its end', await crawl.finished(CRAWL_MS), await crawl.left());
    await stopAll(commands, checks);
    await registrations.check(crawl.store, checks);

    const hit = await outcomeOf(crawl, web, checks);
    const different = differences(withoutRegistered(hit.dump), calm.dump);
    checks.that(
      'the records equal those of the undisturbed run',
      different.length === 0,
      different.join('\n'),
    );
    const { visits, probes } = refetches(hit.asked, calm.asked);
    const most = trouble.times * WORKERS * (CONCURRENCY + PROBES) * VISITS_OF_A_SLOT;
    checks.that(`visited again at most ${most}`, visits + probes <= most, { visits, probes });
    checks.note(`${visits} domains and ${probes} agents visited again`);
    return checks.result(
      `${trouble.counted}, during a crawl of ${web.domains.length} domains by ${WORKERS} workers`,
    );
  } finally {
    await web.close();
  }
}

/** The registrations are beside the crawl: the calm one has none. */
function withoutRegistered(dump: Dump): Dump {
  return Object.fromEntries(
    Object.entries(dump).map(([table, rows]) => [table, rows.filter((row) => !row.includes(REGISTERED))]),
  );
}
