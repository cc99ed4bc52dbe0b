import type { Store } from '../../../src/compose/engines.ts';
import { settleLive } from './indexed-world.ts';

const PAGE = 5_000;
const SHOWN = 3;

/**
 * What differs between the live generation and the records, in words: agents that one of them lacks, holds twice or
 * holds in another version, and a wrong count. Empty when there is nothing.
 */
export async function differencesToRecords({ records, index }: Store): Promise<readonly string[]> {
  await settleLive(index);
  const stored = await versions((after) => records.agents.listed(after, PAGE));
  const found = await versions(async (after) => {
    const query = { filter: {}, limit: PAGE, ...(after !== undefined && { after }) };
    return (await index.search(query)).hits.map(({ url, seq }) => ({ agent: url, version: seq }));
  });
  const count = await index.count({});
  return [
    ...named('not in the index', without(stored.once, found.once)),
    ...named('in the index alone', without(found.once, stored.once)),
    ...named('twice in the index', found.again),
    ...(count === stored.once.size
      ? []
      : [`the index counts ${count}, the records hold ${stored.once.size}`]),
  ];
}

interface Versions {
  readonly once: ReadonlySet<string>;
  readonly again: readonly string[];
}

/** `URL#version` of all that a list has, page by page. */
async function versions(
  page: (
    after: string | undefined,
  ) => Promise<readonly { readonly agent: string; readonly version: number }[]>,
): Promise<Versions> {
  const once = new Set<string>();
  const again: string[] = [];
  for (let after: string | undefined; ; ) {
    const entries = await page(after);
    for (const { agent, version } of entries) {
      const one = `${agent}#${version}`;
      if (once.has(one)) again.push(one);
      once.add(one);
    }
    after = entries.at(-1)?.agent;
    if (after === undefined) return { once, again };
  }
}

function without(all: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...all].filter((version) => !others.has(version));
}

function named(what: string, versions: readonly string[]): readonly string[] {
  if (versions.length === 0) return [];
  return [`${versions.length} ${what}, such as ${versions.slice(0, SHOWN).join(' ')}`];
}
