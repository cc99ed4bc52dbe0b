import type { VisitState } from '../../api/render/visit-state.ts';

/** The visit state of the API as two lines, with the reason if known. */
export function visitLines(
  { state, last_good_at, last_tried_at, outcome, why, next_at }: VisitState,
  detail?: string,
): readonly [string, string] {
  const reason = [why, detail].filter((text) => text != null).join(': ');
  const tried = `${last_tried_at ?? 'never'}${outcome === null ? '' : `: ${outcome}`}`;
  const read = last_good_at == null ? 'never read successfully' : `last good ${last_good_at}`;
  return [
    `${state}: ${read}, last tried ${tried}${reason === '' ? '' : ` (${reason})`}`,
    `next ${next_at ?? 'not planned'}`,
  ];
}
