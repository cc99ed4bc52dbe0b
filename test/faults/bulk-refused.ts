import { syntheticAgents } from '../../bench/synthetic-agents.ts';
import { systemClock } from '../../src/compose/clock.ts';
import type { SavedDocument } from '../../src/domain/agent-document.ts';
import { updateGenerations } from '../../src/index/generations/update-generations.ts';
import type { Records } from '../../src/ports/records.ts';
import { type EngineProxy, startProxy } from '../engines/start/proxy.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import { openIndexedWorld } from './support/indexed-world.ts';
import { takeNext } from './support/take-next.ts';

const DOCUMENTS = 100_000;
const BATCH = 2_000;
const PERCENT = 30;
/** What the change log brings; the others are copied by a rebuild. */
const FED_PERCENT = 20;

export default {
  name: 'bulk-refused',
  isLong: true,
  sentence: 'all documents are there once',
  run: refuseItems,
} satisfies Fault;

async function refuseItems(context: FaultContext) {
  const checks = new Checks();
  const count = scaled(DOCUMENTS, context.scale);
  const { url } = await context.engines.openSearch();
  const proxy = await startProxy(url);
  try {
    const world = await openIndexedWorld({ index: proxy.url.origin, folder: context.folder });
    const { records, index } = world.store;
    const documents = syntheticAgents(count);
    const copied = count - Math.round((count * FED_PERCENT) / 100);
    await fill(records, documents, copied);
    context.log(`${copied} documents are in the records`);
    const refused = refuse(proxy, context);
    await world.run(['index', 'rebuild', '--yes'], checks);
    context.log(`rebuilt, ${refused.items()} items were refused`);
    await fill(records, documents, count - copied);
    await updateGenerations(records, index);
    proxy.judge = () => 'pass';
    const different = await differencesToRecords(world.store);
    checks.that('the index equals the records', different.length === 0, different);
    const there = await index.count({});
    checks.that(`all ${count} are there`, there === count, there);
    checks.note(`${refused.items()} of ${refused.sent()} items refused, in ${refused.requests()} requests`);
    await world.close();
    return checks.result(`${count} documents, ${PERCENT} % of the items refused with 429`);
  } finally {
    await proxy.close();
  }
}

/** From now on; what is told counts from here. */
function refuse(proxy: EngineProxy, { random }: FaultContext) {
  let [requests, sent, items] = [0, 0, 0];
  const isRefused = () => {
    sent += 1;
    if (random.int(100) >= PERCENT) return false;
    items += 1;
    return true;
  };
  proxy.judge = ({ path }) => {
    if (!path.endsWith('/_bulk')) return 'pass';
    requests += 1;
    return { refuse: isRefused };
  };
  return { requests: () => requests, sent: () => sent, items: () => items };
}

/** Puts the next `count` documents into the records and the change log. */
async function fill(records: Records, documents: Iterator<SavedDocument>, count: number): Promise<void> {
  const { sources, agents } = records;
  for (let done = 0; done < count; done += BATCH) {
    const batch = takeNext(documents, Math.min(BATCH, count - done));
    const now = systemClock.now();
    const visits = batch.map(({ agent }) => ({ kind: 'agent', key: agent, foundVia: 'operator' }) as const);
    await sources.add(visits, now);
    const revisions = new Map(
      (await agents.takeDirty(BATCH, now)).map((dirty) => [dirty.agent, dirty.revision]),
    );
    const stitched = batch.map(({ agent, document }) => ({
      agent,
      revision: revisions.get(agent) ?? 1,
      stitched: { ...(document && { document }) },
    }));
    await agents.saveStitched(stitched, now);
  }
}
