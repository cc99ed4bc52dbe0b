import type { Entry } from './catalogue.ts';
import type { Engine } from './client.ts';
import { indexReadOnly } from './errors.ts';

/** What a block forbids, as the engine names it. */
type Level = 'read' | 'write' | 'metadata_read' | 'metadata_write' | 'create_index';

interface Block {
  readonly description: string;
  readonly levels: readonly Level[];
}

type Blocks = Readonly<Record<string, Block>>;

interface Answer {
  readonly blocks?: { readonly global?: Blocks; readonly indices?: Readonly<Record<string, Blocks>> };
}

/** A new generation is an index, and the switch changes the names of the others. */
const FOR_GENERATION: readonly Level[] = ['write', 'metadata_write', 'create_index'];

/**
 * Rejects with `index_read_only` when the cluster, or the index that counts, is closed to writes: by a setting
 * (`index.blocks.*`, `cluster.blocks.*`), or by the engine itself for a disk that is nearly full. The blocks are in the
 * cluster's state, whoever set them, and a read of it meets none of them.
 */
export async function checkWriteBlocks(
  engine: Engine,
  ours: readonly Entry[],
  newGeneration: boolean,
): Promise<void> {
  const answer = await engine.ask<Answer>(
    { method: 'GET', path: '/_cluster/state/blocks', query: { filter_path: 'blocks' } },
    engine.generationReads,
  );
  const { global = {}, indices = {} } = answer.blocks ?? {};
  const counts = newGeneration ? ours : ours.filter(({ isLive }) => isLive);
  const found = [
    [`the cluster`, global] as const,
    ...counts.map(({ index }) => [index, indices[index] ?? {}] as const),
  ].flatMap(([what, blocks]) =>
    Object.values(blocks)
      .filter(({ levels }) => forbids(levels, newGeneration))
      .map(({ description }) => `${what}: ${description}`),
  );
  if (found.length > 0) throw indexReadOnly(engine.place, found.join('; '));
}

function forbids(levels: readonly Level[], newGeneration: boolean): boolean {
  const wanted: readonly Level[] = newGeneration ? FOR_GENERATION : ['write'];
  return levels.some((level) => wanted.includes(level));
}
