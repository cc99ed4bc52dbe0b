import { agentKey } from '../domain/agent-url.ts';
import type { DeclaredFacts } from '../domain/declared-facts.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { NewVisit, VisitError } from '../domain/source.ts';
import type { FileVisit, NewDeclaration } from '../ports/visit-commits.ts';
import { deriveFacts } from './derive-facts.ts';
import type { FileBounds } from './fetched-file.ts';
import type { ReadFile } from './read-file.ts';
import { absenceEnds, nextVisit } from './schedule.ts';

/** What is kept of one file's visit, and where it leads. */
export interface DeclaredFile {
  readonly visit: FileVisit;
  readonly found: readonly NewVisit[];
}

/** Turns a read file into what is stored: the declaration's facts, the outcome, and when to come back. */
export function declareFile(file: ReadFile, lease: FileVisit['lease']): DeclaredFile {
  const declaration = newDeclaration(file);
  const { outcome, error } = outcomeOf(file, declaration);
  const { task, captures, headers } = file.fetched;
  const absence = absenceAfter(file, outcome);
  const next = nextVisit({
    kind: task.kind,
    key: task.domain,
    outcome,
    headers,
    failures: task.source.failures,
    now: task.now,
    ...(absence.absentSince !== undefined && { absentSince: absence.absentSince }),
  });
  const visit: FileVisit = {
    lease,
    outcome,
    captures,
    validators: absence.ends ? [] : validatorsAfter(file, outcome),
    nextVisitAt: next.at,
    failures: next.failures,
    ...(error && { error }),
    ...absence,
    ...(declaration && { declaration }),
    findings: file.findings,
  };
  return {
    visit,
    found: declaration && file.bounds ? leads(task.domain, task.kind, declaration.facts, file.bounds) : [],
  };
}

function newDeclaration({ fetched, declaration }: ReadFile): NewDeclaration | undefined {
  const { end, task } = fetched;
  if (end.type !== 'content' || declaration === undefined) return undefined;
  const { via, manager, url } = end;
  const facts = deriveFacts({
    declaration,
    domain: task.domain,
    via,
    now: task.now,
    ...(manager !== undefined && { managerDomain: manager }),
  });
  const contentHash = fetched.validators.map((validator) => validator.bodyHash).join('+');
  return { value: declaration, via, url, contentHash, facts, ...(manager !== undefined && { manager }) };
}

function outcomeOf(
  file: ReadFile,
  declaration: NewDeclaration | undefined,
): { outcome: Outcome; error?: VisitError } {
  const { end } = file.fetched;
  if (end.type === 'unchanged') return { outcome: 'unchanged' };
  if (end.type === 'unusable') return { outcome: end.outcome, error: end.error };
  if (declaration !== undefined) return { outcome: 'indexed' };
  const worst = file.findings.find((finding) => finding.severity === 'error');
  return {
    outcome: 'invalid',
    error: {
      code: worst?.code ?? 'invalid',
      detail: worst?.message ?? 'the file says nothing that can be used',
    },
  };
}

/**
 * Those of the last good content: a broken file that stays as it is goes on being an error at every visit, and one that
 * is put right again is unchanged.
 */
function validatorsAfter({ fetched }: ReadFile, outcome: Outcome): FileVisit['validators'] {
  return outcome === 'invalid' ? fetched.task.source.validators : fetched.validators;
}

/** Counts how long a file has been gone, and ends what it said once the grace is over. */
function absenceAfter(
  file: ReadFile,
  outcome: Outcome,
): Pick<FileVisit, 'absentSince' | 'absentVisits' | 'ends'> {
  if (outcome !== 'absent') return { absentVisits: 0 };
  const { source, now } = file.fetched.task;
  const absentSince = source.absentSince ?? now;
  const absentVisits = source.absentVisits + 1;
  return {
    absentSince,
    absentVisits,
    ...(absenceEnds({ absentSince, absentVisits, now }) && { ends: true }),
  };
}

/** Agents and domains worth a visit, each once, within the bounds of one file. */
function leads(domain: string, kind: string, facts: DeclaredFacts, bounds: FileBounds): NewVisit[] {
  const foundVia = `${domain} ${kind}`;
  const agents = new Map<string, string>();
  for (const named of [...facts.authorisations, ...facts.mentions]) {
    if (!agents.has(named.agent)) agents.set(named.agent, named.declaredUrl);
  }
  const domains = new Set(
    facts.references.map((reference) => reference.domain).filter((name) => name !== domain),
  );
  return [
    ...[...agents]
      .slice(0, bounds.maxAgents)
      .map(([agent, url]) => ({ kind: 'agent', key: agentKey(agent), url, foundVia }) as const),
    ...[...domains].slice(0, bounds.maxDomains).map((key) => ({ kind: 'domain', key, foundVia }) as const),
  ];
}
