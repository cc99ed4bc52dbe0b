import type { BrandDeclaration, Declaration } from '../domain/declaration.ts';
import type { AuthorisationVia, DeclaredFacts } from '../domain/declared-facts.ts';
import { deriveAuthorisations } from './derive-authorisations.ts';
import { deriveMentions } from './derive-mentions.ts';
import { deriveReferences } from './derive-references.ts';
import { isInForce } from './in-force.ts';
import { unrevokedEntries } from './unrevoked-entries.ts';

export interface DeriveInput {
  readonly declaration: Declaration;
  /** The domain for which the file was read. */
  readonly domain: string;
  /** How the domain came to say it. */
  readonly via: AuthorisationVia;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The manager whose file it is, when `via` is `manager`. */
  readonly managerDomain?: string;
}

/**
 * What follows from a declaration at one moment: who is authorised, who is mentioned, where else to look. Pure:
 * the same input gives the same facts, and `rederiveAt` says when another `now` would give others.
 */
export function deriveFacts(input: DeriveInput): DeclaredFacts {
  const { declaration, now } = input;
  const references = deriveReferences(input);
  if (declaration.kind === 'brand') {
    const mentions = deriveMentions(declaration, input.domain);
    return { authorisations: [], mentions, references, ...deriveOperators(declaration, now) };
  }
  const { authorisations, concerned } = deriveAuthorisations({ ...input, declaration });
  const entries = input.via === 'own' ? declaration.entries : concerned;
  const spoken = input.via === 'own' ? unrevokedEntries(declaration, input.domain, now) : concerned;
  const inForce = spoken.filter((entry) => isInForce(entry, now));
  const mentions = deriveMentions({ ...declaration, entries: inForce }, input.domain);
  const changesAt = [
    ...declaration.revokedPublisherDomains.map(({ revokedAt }) => revokedAt),
    ...entries.flatMap(({ limits }) => [limits.effectiveFrom, limits.effectiveUntil]),
  ];
  return { authorisations, mentions, references, operators: [], ...soonest(changesAt, now) };
}

function deriveOperators(
  brand: BrandDeclaration,
  now: number,
): Pick<DeclaredFacts, 'operators' | 'rederiveAt'> {
  const inForce = brand.authorizedOperators.filter(
    ({ validFrom = -Infinity, validUntil = Infinity }) => validFrom <= now && now < validUntil,
  );
  const changesAt = brand.authorizedOperators.flatMap(({ validFrom, validUntil }) => [validFrom, validUntil]);
  return { operators: [...new Set(inForce.map((operator) => operator.domain))], ...soonest(changesAt, now) };
}

/** The first of some moments that is still to come. */
function soonest(moments: readonly (number | undefined)[], now: number): Pick<DeclaredFacts, 'rederiveAt'> {
  let first = Infinity;
  for (const moment of moments) if (moment !== undefined && moment > now && moment < first) first = moment;
  return first === Infinity ? {} : { rederiveAt: first };
}
