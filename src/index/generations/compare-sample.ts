import { foundTwice } from '../../base/found-twice.ts';
import type { Difference } from '../../domain/self-check.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';

/** Agents compared after each URL. */
const PAGE = 20;

interface Place {
  readonly url: string;
  readonly seq: number;
}

/**
 * Compares the live generation with the documents of the records, on the first page and on one page after each of these agents:
 * which agents are listed, and by which change. The caller ensures that the generation has all changes; a difference is checked
 * twice, because a change may happen meanwhile.
 */
export async function compareSample(
  records: Records,
  index: AgentIndex,
  after: readonly string[],
): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const url of [undefined, ...after]) {
    found.push(...(await foundTwice(() => comparePage(records, index, url))));
  }
  return [...new Map(found.map((one) => [one.of, one])).values()];
}

async function comparePage(
  records: Records,
  index: AgentIndex,
  after: string | undefined,
): Promise<readonly Difference[]> {
  const { hits } = await index.search({ filter: {}, limit: PAGE, ...(after !== undefined && { after }) });
  const saved = await records.agents.listed(after, PAGE);
  const documents = saved.map(({ agent, version }) => ({ url: agent, seq: version }));
  const end = [endOf(hits), endOf(documents)].filter((url) => url !== undefined).sort()[0];
  const within = (places: readonly Place[]): ReadonlyMap<string, number> =>
    new Map(places.filter(({ url }) => end === undefined || url <= end).map(({ url, seq }) => [url, seq]));
  const [indexed, known] = [within(hits), within(documents)];
  return [...new Set([...indexed.keys(), ...known.keys()])]
    .filter((url) => indexed.get(url) !== known.get(url))
    .map((of) => ({ kind: 'generation', of, kept: seqOf(indexed, of), counted: seqOf(known, of) }));
}

/** After a full page others may follow, which cannot be compared. */
function endOf(places: readonly Place[]): string | undefined {
  return places.length < PAGE ? undefined : places.at(-1)?.url;
}

function seqOf(places: ReadonlyMap<string, number>, url: string): string {
  const seq = places.get(url);
  return seq === undefined ? 'missing' : `change ${seq}`;
}
