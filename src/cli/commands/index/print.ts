import type { RegistryError } from '../../../errors.ts';
import { leftOvers } from '../../../index/generations/find-generation.ts';
import type { Generation } from '../../../ports/agent-index.ts';
import type { HeldBy } from '../../../records/upkeep/named-leases.ts';
import { holderText } from '../../../this-process.ts';
import { listTable, printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { ofState } from './plans.ts';

export interface IndexEngine {
  readonly kind: 'records' | 'opensearch';
  /** The addresses of all nodes, without credentials. */
  readonly addresses?: readonly string[];
}

export interface IndexStatus {
  readonly engine: IndexEngine;
  readonly generations: readonly Generation[];
  readonly lastSeq: number;
  /** Generations with changes that the records do not have. */
  readonly ahead: ReadonlySet<number>;
  /** The process that is rebuilding or switching it. */
  readonly rebuild: HeldBy | undefined;
  /** Why it is read-only, if it is. */
  readonly readOnly?: RegistryError | undefined;
}

/** Prints the state of the index; the JSON follows schemas/cli/index.json. */
export function printStatus(status: IndexStatus, json: boolean): void {
  const { engine, generations, lastSeq, rebuild, readOnly } = status;
  if (json) {
    printJson({
      engine,
      generations: generations.map((generation) => generationJson(generation, lastSeq)),
      last_seq: lastSeq,
      ...(readOnly && { read_only: readOnly.message }),
      rebuild:
        rebuild === undefined ? null : { holder: holderText(rebuild.holder), until: iso(rebuild.until) },
      next: nextSteps(status),
    });
    return;
  }
  printLine(
    `engine: ${engine.kind}${engine.addresses === undefined ? '' : ` at ${engine.addresses.join(', ')}`}`,
  );
  printLine(generationTable(generations, lastSeq));
  printLine(`the change log ends at ${lastSeq}`);
  if (readOnly !== undefined) printLine(visible(readOnly.message));
  if (rebuild !== undefined)
    printLine(
      `${holderText(rebuild.holder)} is rebuilding or switching the index; its lease expires at ${iso(rebuild.until)}`,
    );
  for (const step of nextSteps(status)) printLine(`next: ${step}`);
}

/** Prints what --yes would do, one sentence per line. */
export function printPlan(sentences: readonly string[], json: boolean): void {
  if (json) printJson({ done: false, plan: sentences });
  else for (const sentence of [...sentences, 'plan only; add --yes to execute it']) printLine(sentence);
}

/** Prints what was done, and the generations after it. */
export function printDone(
  sentences: readonly string[],
  generations: readonly Generation[],
  lastSeq: number,
  json: boolean,
): void {
  if (json) {
    const list = generations.map((generation) => generationJson(generation, lastSeq));
    printJson({ done: true, did: sentences, generations: list });
    return;
  }
  for (const sentence of sentences) printLine(sentence);
  printLine(generationTable(generations, lastSeq));
}

/** Possible next steps, most urgent first. */
function nextSteps({ generations, lastSeq, ahead, rebuild, readOnly }: IndexStatus): string[] {
  const live = ofState(generations, 'live');
  const previous = ofState(generations, 'previous');
  const isFed = live !== undefined && live.fault === undefined && !ahead.has(live.id);
  const behind = isFed ? lastSeq - live.appliedSeq : 0;
  return [
    ...(readOnly?.hint === undefined ? [] : [readOnly.hint]),
    ...(live === undefined
      ? ['no live generation: "agent-registry index rebuild --yes" builds one from the records']
      : []),
    ...(live?.fault === undefined ? [] : [`${live.fault.message}: ${live.fault.hint}`]),
    ...(live !== undefined && ahead.has(live.id)
      ? [
          'the index contains changes unknown to the records (restored from a backup?): run "agent-registry index rebuild --yes"',
        ]
      : []),
    ...(behind > 0 ? [`${behind} changes behind: a crawl or "agent-registry serve" applies them`] : []),
    ...(rebuild === undefined ? leftOvers(generations).map(leftOverStep) : []),
    ...(previous === undefined || previous.fault !== undefined || ahead.has(previous.id)
      ? []
      : [`"agent-registry index rollback" shows the plan for switching back to generation ${previous.id}`]),
  ];
}

function leftOverStep({ id, state, fault }: Generation): string {
  if (fault !== undefined)
    return `${fault.message}: "agent-registry index prune --yes" or the next rebuild drops it`;
  return state === 'built'
    ? `generation ${id} is built but not live: "agent-registry index promote" shows what would change, "agent-registry index prune --yes" drops it`
    : `generation ${id} was left by an interrupted rebuild: "agent-registry index prune --yes" or the next rebuild drops it`;
}

function generationTable(generations: readonly Generation[], lastSeq: number): string {
  const head = ['generation', 'state', 'agents', 'up to change', 'lag', 'made', 'live since'];
  const rows = generations.map((generation) => [
    String(generation.id),
    stateText(generation),
    ...figures(generation, lastSeq),
    iso(generation.createdAt),
    generation.promotedAt === undefined ? '-' : iso(generation.promotedAt),
  ]);
  return listTable(head, rows).join('\n');
}

function stateText({ state, fault }: Generation): string {
  return fault === undefined ? state : `${state}, unusable`;
}

function figures({ documents, appliedSeq }: Generation, lastSeq: number): readonly string[] {
  if (documents === undefined) return ['-', '-', '-'];
  const lag = Math.max(0, lastSeq - appliedSeq);
  return [documents.toLocaleString('en-GB'), String(appliedSeq), String(lag)];
}

function generationJson(generation: Generation, lastSeq: number) {
  const { id, state, documents, appliedSeq, createdAt, promotedAt, fault } = generation;
  return {
    id,
    state,
    ...(documents !== undefined && { documents }),
    applied_seq: appliedSeq,
    lag: Math.max(0, lastSeq - appliedSeq),
    created_at: iso(createdAt),
    ...(fault && { fault: fault.message }),
    ...(promotedAt !== undefined && { promoted_at: iso(promotedAt) }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
