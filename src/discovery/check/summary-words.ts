import { coverageInWords } from '../../domain/covered-property.ts';
import type { AdagentsDeclaration, FileKind } from '../../domain/declaration.ts';
import type { Authorisation } from '../../domain/declared-facts.ts';
import { type Finding, hasErrors } from '../../domain/finding.ts';

/** The file that a summary describes: the given one, or the one with its safe fixes. `findings` are of that file. */
export function basisOf({
  findings,
  isRepaired = false,
}: {
  readonly findings: readonly Finding[];
  readonly isRepaired?: boolean;
}): string {
  if (!isRepaired)
    return hasErrors(findings) ? 'invalid entries are ignored' : 'as strict clients read the file';
  return hasErrors(findings)
    ? 'after the safe fixes; entries that are still invalid are ignored'
    : 'after the safe fixes, as strict clients read the file';
}

interface Judged {
  readonly valid: boolean;
  readonly kind: FileKind;
  /** Absent when nothing in the file could be understood. */
  readonly variant?: string;
  readonly agents: readonly string[];
  readonly listed: number;
  readonly sellersNow: number;
  readonly isCatalogue?: boolean;
}

/** The verdict on a file in words: whether the format allows it, and how many of the agents that it lists may sell today. */
export function verdictInWords({
  valid,
  kind,
  variant,
  agents,
  listed,
  sellersNow,
  isCatalogue,
}: Judged): string {
  const verdict = valid ? 'valid' : 'not valid';
  if (variant === undefined) return verdict;
  if (kind === 'brand') return `${verdict}, ${counted(agents.length)}`;
  if (listed > 0) return `${verdict}: ${sellersNow} of ${counted(listed)} may sell today`;
  if (variant === 'reference') return `${verdict}: it refers to another file`;
  return `${verdict}: no agent is authorized by it${isCatalogue ? '; it is a catalog' : ''}`;
}

function counted(agents: number): string {
  return `${agents} agent${agents === 1 ? '' : 's'}`;
}

/** The condition on which a file applies to a publisher that it lists; `isKnown`: its own publisher is known, and another one. */
export function conditionFor(isKnown: boolean): string {
  return isKnown
    ? 'if its own file refers to this one'
    : 'if it publishes this file, or its own file refers to this one';
}

/** The forms that we read and strict clients of the public format do not. */
export function leniencyOf(scope: string, variant: AdagentsDeclaration['variant']): string | undefined {
  if (scope !== 'all') return undefined;
  if (variant === 'simple')
    return 'clients of the public protocol read only authorized_agents, and find no agent in this file';
  return 'clients that require authorization_type ignore this entry';
}

/** Empty: nothing. Ids and tags that name nothing in the publisher's own file name nothing anywhere. */
export function wordsFor({ covers = {}, countByType, sellsNothing }: Authorisation, isOwn: boolean): string {
  const counts = Object.entries(countByType).filter(([, count]) => count > 0);
  const { selected: _, ...known } = covers;
  const resolved = isOwn && sellsNothing ? known : covers;
  return coverageInWords(resolved, counts.map(([type, count]) => `${count} ${type}`).join(', '));
}
