import type { Random } from '../../../reference-agents/src/random.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import { type IndexedWorld, liveOf } from './indexed-world.ts';
import { type Judged, type ListAnswer, sameAgents } from './list-reader.ts';

/** Above every number of the change log, so that what is written with it stays. */
const LATER_SEQ = 1_000_000;

/**
 * Makes the live generation hold another set than the records, `all`: one agent that they do not have, and one of
 * theirs missing. Returns the set, in the order of the list.
 */
export async function makeOldSet(
  at: number,
  { store }: IndexedWorld,
  all: readonly string[],
  random: Random,
): Promise<readonly string[]> {
  const { index, records } = store;
  const stranger = `https://in-the-old-set-${at}.example/`;
  const missing = random.pick(all);
  const [known] = await records.agents.saved([missing]);
  const live = await liveOf(index);
  if (live === undefined || known?.document === undefined) throw new Error('there is no set to begin with');
  const version = LATER_SEQ + at;
  await index.generations.write(live.id, [
    { agent: stranger, version, document: underOtherName(known.document, stranger) },
    { agent: missing, version },
  ]);
  await index.settle(live.id);
  return [...all.filter((url) => url !== missing), stranger].toSorted();
}

function underOtherName(document: AgentDocument, url: string): AgentDocument {
  return { ...document, url, base: { ...document.base, url } };
}

/** The whole old set, and from some moment on the whole new one; never another, and never back. */
export function judgeSets(old: readonly string[], now: readonly string[]): (answer: ListAnswer) => Judged {
  let sawOld = false;
  let sawSwitch = false;
  return ({ status, agents, text }) => {
    if (status !== 200) return { as: `${status}`, wrong: `${status} ${text}` };
    if (sameAgents(agents, now)) {
      // an answer that was kept from before the old set was made is none of a switch
      sawSwitch = sawOld;
      return { as: 'new' };
    }
    if (!sameAgents(agents, old)) return { as: 'mixed', wrong: `neither set: ${agents.length} agents` };
    sawOld = true;
    return { as: 'old', ...(sawSwitch && { wrong: 'the old set after the new one' }) };
  };
}
