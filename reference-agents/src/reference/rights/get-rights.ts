import type { GetRightsRequest, Right } from '@agent-registry/surface/agent-kit';
import { handler, type TaskCall } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { scoreOf, tokensOf, weightsOf } from '../text/relevance.ts';
import { findRight, rightsOf, whyRefused } from './find-right.ts';
import type { SandboxRight } from './right-table.ts';

/**
 * get_rights: rights that suit a query, the best first, or those that are named; and which of them cannot be had for
 * this brand, use and countries, with the reason. Refuses REFERENCE_NOT_FOUND for an unknown id.
 */
export const getRights = handler('get_rights', {
  description: 'Finds rights to faces, voices and works',
  callers: 'anybody',
  run: (request, call) => {
    const wanted = { brandDomain: request.brand?.domain, uses: request.uses, countries: request.countries };
    const judged = ranked(request, call).map((right) => ({ right, reason: whyRefused(right, wanted) }));
    const { items, pagination } = pageOf(
      judged.filter(({ reason }) => reason === undefined),
      request.pagination,
    );
    const excluded = judged.flatMap(({ right, reason }) =>
      reason === undefined ? [] : [{ rights_id: right.id, reason }],
    );
    return { rights: items.map(({ right }) => shownRight(right)), excluded, pagination };
  },
});

function ranked({ query, rights_ids: ids }: GetRightsRequest, call: TaskCall): readonly SandboxRight[] {
  const named = ids?.map((id, at) => findRight(call, id, `/rights_ids/${at}`));
  const rights = named === undefined ? rightsOf(call.agent.spec) : [...new Set(named)];
  const tokens = tokensOf(query ?? '');
  if (tokens.length === 0) return rights;
  const scored = rights.map((right) => ({ right, score: scoreOf(tokens, wordsOf(right)).score }));
  const found = named === undefined ? scored.filter(({ score }) => score > 0) : scored;
  return found.toSorted((a, b) => b.score - a.score).map(({ right }) => right);
}

function wordsOf({ name, description, type, uses }: SandboxRight) {
  const kinds =
    type === 'talent' ? 'talent face person likeness' : type === 'artwork' ? 'artwork picture image' : type;
  return weightsOf([
    { text: name, weight: 3 },
    { text: kinds, weight: 2 },
    { text: `${description} ${uses.join(' ')}`, weight: 1 },
  ]);
}

function shownRight({ id, name, description, type, uses, countries, pricing }: SandboxRight): Right {
  return {
    rights_id: id,
    name,
    description,
    rights_type: type,
    uses,
    countries,
    available: true,
    pricing_options: pricing,
  };
}
