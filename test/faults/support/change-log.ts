import { withQuery } from './canonical-dump.ts';

interface Row {
  readonly agent: string;
  readonly seq: number;
  readonly kind: string;
}

/**
 * What is wrong with the change log, in words: an agent that is listed or delisted twice in a row, a change of one that
 * is not in the list, a document whose number is not that of its last row.
 */
export async function changeLogFaults(store: string): Promise<readonly string[]> {
  return withQuery(store, async (query) => {
    const rows = (await query('SELECT agent, seq, kind FROM change_log ORDER BY seq')).map(rowOf);
    const documents = await query('SELECT agent, seq, hash FROM document');
    const byAgent = Map.groupBy(rows, ({ agent }) => agent);
    const order = [...byAgent].flatMap(([agent, history]) => wrongOrder(agent, history));
    const last = documents
      .filter(({ agent, seq }) => byAgent.get(String(agent))?.at(-1)?.seq !== Number(seq))
      .map(({ agent }) => `${agent}: its document is not of the last change`);
    return [...order, ...last];
  });
}

function wrongOrder(agent: string, history: readonly Row[]): readonly string[] {
  let isListed = false;
  return history.flatMap(({ kind, seq }) => {
    const fits = kind === 'listed' ? !isListed : isListed;
    isListed = kind !== 'delisted';
    return fits ? [] : [`${agent}: '${kind}' with number ${seq} does not follow from what was before`];
  });
}

function rowOf({ agent, seq, kind }: Readonly<Record<string, unknown>>): Row {
  return { agent: String(agent), seq: Number(seq), kind: String(kind) };
}
