import { withQuery } from './canonical-dump.ts';

interface Row {
  readonly agent: string;
  readonly seq: number;
  readonly kind: string;
}

/**
 * What is wrong with the change log, in words: an agent that is listed or delisted twice in a row, a change of one that
 * is not in the list, a document that is not of its last row, a number that is missing.
 */
export async function changeLogFaults(store: string): Promise<readonly string[]> {
  return withQuery(store, async (query) => {
    const rows = (await query('SELECT agent, seq, kind FROM change_log ORDER BY seq')).map(rowOf);
    const documents = await query('SELECT agent, version, hash FROM document');
    const byAgent = Map.groupBy(rows, ({ agent }) => agent);
    const order = [...byAgent].flatMap(([agent, history]) => wrongOrder(agent, history));
    const last = documents
      .filter(({ agent, version }) => byAgent.get(String(agent))?.at(-1)?.seq !== Number(version))
      .map(({ agent }) => `${agent}: its document is not of the last change`);
    const gap = rows.findIndex(({ seq }, at) => seq !== at + 1);
    return [
      ...order,
      ...last,
      ...(gap < 0 ? [] : [`row ${gap + 1} of the log has the number ${rows[gap]?.seq}`]),
    ];
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
