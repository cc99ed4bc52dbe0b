import { counted, duration, note, printLine } from '@agent-registry/surface/command-line';
import { askRegistry, askWhy } from './ask-registry.ts';
import { ACTS, LAST_EVENT } from './story-acts.ts';
import { AGENT, START, STORY_ROLE } from './story-agent.ts';
import {
  newsOf,
  printStoryHead,
  printStoryLine,
  type RunEffects,
  type StoryEvent,
  type StoryLine,
} from './story-line.ts';
import { openStoryWorld, type StoryWorld } from './story-world.ts';

interface Teller {
  readonly world: StoryWorld;
  readonly say: (event: StoryEvent, text: string) => Promise<void>;
  /** What was told last. */
  last: StoryEvent | undefined;
  /** What the registry did since the last run with news. */
  readonly quiet: { runs: number; probes: number };
  readonly totals: { runs: number; probes: number };
}

interface StoryOptions {
  readonly signal: AbortSignal;
  /** Probes that are due sooner wait; for whoever is in a hurry. Default: none waits. */
  readonly probeEveryMs?: number;
}

export interface StoryTotals {
  readonly days: number;
  readonly runs: number;
  readonly probes: number;
}

const DAY = 86_400_000;

/** A story that takes longer has got stuck. */
const LONGEST_MS = 60 * DAY;

/**
 * One agent from its first crawl to its badge, into failure and out again, with the clock put forward from each thing
 * to the next. The acts are its owner's and fate's; everything else the registry does by itself, when it is due. What it
 * answers over HTTP goes with each line. Stops early under the signal.
 */
export async function tellStory(
  tell: (line: StoryLine) => void,
  { signal, probeEveryMs = 0 }: StoryOptions,
): Promise<StoryTotals> {
  const world = await openStoryWorld(START, probeEveryMs);
  const say = async (event: StoryEvent, text: string) => {
    const shown = await askRegistry(world.origin, AGENT, STORY_ROLE);
    tell({ at: world.clock.now(), event, text, shown });
    teller.last = event;
  };
  const teller: Teller = { world, say, last: undefined, quiet: none(), totals: none() };
  try {
    for (const act of ACTS) {
      await letLive(teller, signal, () => teller.last === act.after);
      const at = await act.at(world, world.clock.now());
      await letLive(teller, signal, (next) => next >= at);
      if (signal.aborted) break;
      world.clock.to(at);
      const text = await act.play(world);
      if (text !== undefined) await say(act.event, text);
    }
    await letLive(teller, signal, () => teller.last === LAST_EVENT);
    return { ...teller.totals, days: Math.round((world.clock.now() - START) / DAY) };
  } finally {
    await world.close();
  }
}

function none(): { runs: number; probes: number } {
  return { runs: 0, probes: 0 };
}

/** What the registry does by itself, each thing at its very moment, until it is enough. */
async function letLive(teller: Teller, signal: AbortSignal, isEnough: (next: number) => boolean) {
  const { world } = teller;
  for (;;) {
    const [probeAt, runAt] = [await world.nextProbe(), await world.nextRun()];
    const next = Math.min(probeAt, runAt);
    if (signal.aborted || isEnough(next)) return;
    if (next > START + LONGEST_MS) throw new Error(`nothing happens any more after '${teller.last}'`);
    world.clock.to(next);
    await (probeAt < runAt ? probe : test)(teller);
  }
}

async function probe({ world, quiet, totals }: Teller): Promise<void> {
  const probes = await world.probe();
  quiet.probes += probes;
  totals.probes += probes;
}

async function test({ world, say, quiet, totals }: Teller): Promise<void> {
  totals.runs += 1;
  const { event, text } = await heartbeat(world);
  if (event === undefined) {
    quiet.runs += 1;
    return;
  }
  const { runs, probes } = quiet;
  await say(event, runs < 2 ? text : `${text}\n(after ${runs} runs and ${probes} probes without changes)`);
  Object.assign(quiet, none());
}

/** One heartbeat, and what it brought. */
async function heartbeat(world: StoryWorld): Promise<RunEffects> {
  const { compliance } = world.store.records;
  const before = (await compliance.badgeEvents(AGENT, { limit: 100 })).length;
  await world.heartbeat();
  const events = await compliance.badgeEvents(AGENT, { limit: 100 });
  const [run] = await compliance.lastRuns(AGENT, { limit: 1 });
  if (run === undefined) throw new Error('an agent that was due was not tested');
  const why = await askWhy(world.origin, AGENT, run.run_id, world.owner.key);
  return newsOf(run, events.slice(0, events.length - before), { why, isFirst: before === 0 });
}

/** `npm run demo -- --story`: what happens to one agent, as a dated log. */
export async function printStory(signal: AbortSignal): Promise<void> {
  note('17 days of one agent, with a simulated clock; every probe, test and answer is real, on this machine');
  const began = performance.now();
  printLine(`the story of ${AGENT}`);
  printStoryHead();
  const { days, runs, probes } = await tellStory(printStoryLine, { signal });
  const made = `${counted(runs, 'run')} and ${counted(probes, 'probe')}`;
  printLine(`${days} days in ${duration(performance.now() - began)}: ${made}`);
}
