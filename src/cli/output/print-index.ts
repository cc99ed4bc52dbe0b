import type { Comparison } from '../../indexing/compare-generations.ts';
import type { Generation } from '../../ports/agent-index.ts';
import { counted, printJson, printLine, table } from './print.ts';

/** Prints generations, with the end of the change log where it is asked for; the JSON follows schemas/cli/index.json. */
export function printGenerations(generations: readonly Generation[], json: boolean, lastSeq?: number): void {
  if (json) {
    const end = lastSeq === undefined ? {} : { last_seq: lastSeq };
    printJson({ generations: generations.map(generationJson), ...end });
    return;
  }
  const head = ['generation', 'state', 'agents', 'up to change', 'made'];
  printLine(table([head, ...generations.map(generationRow)]));
  if (lastSeq !== undefined) printLine(`the change log ends at ${lastSeq}`);
}

/** Prints what --yes would do, one sentence a line. */
export function printPlan(sentences: readonly string[], json: boolean): void {
  if (json) printJson({ done: false, plan: sentences });
  else for (const sentence of [...sentences, 'nothing was done; say --yes to do it']) printLine(sentence);
}

/** The plan of a switch to a generation. */
export function switchPlan({ live, candidate, shrinks, differing }: Comparison, id: number): string[] {
  return [
    `would switch to generation ${id}: ${counted(candidate, 'agent')}, the live one has ${live}`,
    differing.length === 0
      ? 'all sample queries give the same first page'
      : `${differing.length} sample queries give another first page`,
    ...(shrinks ? ['that is more than a tenth less: it needs --accept-shrink'] : []),
  ];
}

function generationJson({ id, state, documents, appliedSeq, createdAt, promotedAt }: Generation) {
  const promoted = promotedAt === undefined ? {} : { promoted_at: new Date(promotedAt).toISOString() };
  return {
    id,
    state,
    documents,
    applied_seq: appliedSeq,
    created_at: new Date(createdAt).toISOString(),
    ...promoted,
  };
}

function generationRow({ id, state, documents, appliedSeq, createdAt }: Generation): string[] {
  return [String(id), state, String(documents), String(appliedSeq), new Date(createdAt).toISOString()];
}
