import { coverageInWords } from '../../domain/covered-property.ts';
import type { AdagentsDeclaration, FileKind } from '../../domain/declaration.ts';
import type { Authorisation } from '../../domain/declared-facts.ts';
import { type Finding, hasErrors } from '../../domain/finding.ts';

/** For which file a summary holds, the one that was given or that one with its certain fixes; `findings` are of that file. */
export function basisOf({
  findings,
  isRepaired = false,
}: {
  readonly findings: readonly Finding[];
  readonly isRepaired?: boolean;
}): string {
  if (!isRepaired)
    return hasErrors(findings)
      ? 'as far as the file can be read; what its errors leave out authorises nobody'
      : 'as a strict buyer reads the file';
  return hasErrors(findings)
    ? 'once its fixes are made; what its other errors leave out authorises nobody'
    : 'as a strict buyer reads the file once its fixes are made';
}

interface Judged {
  readonly valid: boolean;
  readonly kind: FileKind;
  /** Absent when nothing in the file could be understood. */
  readonly variant?: string;
  readonly agents: readonly string[];
  readonly sellersNow: number;
  readonly isCatalogue?: boolean;
}

/** The verdict on a file in words: whether the format allows it, and what it is worth to a buyer today. */
export function verdictInWords({ valid, kind, variant, agents, sellersNow, isCatalogue }: Judged): string {
  const verdict = valid ? 'valid' : 'not valid';
  const count = agents.length;
  if (kind === 'brand' || variant === undefined || sellersNow === count) {
    const isNobody = kind === 'adagents' && variant !== undefined && count === 0;
    if (isNobody)
      return `${verdict}: no agent is authorised by it${isCatalogue ? '; it is a catalogue' : ''}`;
    return `${verdict}, ${count} agent${count === 1 ? '' : 's'}`;
  }
  return `${verdict}: ${sellersNow} of ${count} agent${count === 1 ? '' : 's'} may sell today`;
}

/** What has to be so for a file to count for a publisher that it names; `isKnown`: who publishes it, and it is another one. */
export function conditionFor(isKnown: boolean): string {
  return isKnown ? 'if its own file leads here' : 'if it publishes this file, or its own file leads here';
}

/** The forms that our rulings read and that a client which wants the public format as it stands does not. */
export function leniencyOf(scope: string, variant: AdagentsDeclaration['variant']): string | undefined {
  if (scope !== 'all') return undefined;
  if (variant === 'simple')
    return 'clients of the public protocol read authorized_agents only, and find nobody here';
  return 'clients that want authorization_type read nothing here';
}

/** Empty: nothing. Ids and tags that name nothing in the publisher's own file name nothing anywhere. */
export function wordsFor({ covers = {}, countByType, sellsNothing }: Authorisation, isOwn: boolean): string {
  const counts = Object.entries(countByType).filter(([, count]) => count > 0);
  const { selected: _, ...known } = covers;
  const resolved = isOwn && sellsNothing ? known : covers;
  return coverageInWords(resolved, counts.map(([type, count]) => `${count} ${type}`).join(', '));
}
