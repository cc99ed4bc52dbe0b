import type { ChangeBody } from '../../render/change-list.ts';

const KINDS = { listed: 'was listed', changed: 'changed', delisted: 'was delisted' };
const MAX_NAME = 120;

/** What a change is called in news, and what it came to. An agent that left has no name any more, or one of its return. */
export function entryTexts(
  change: ChangeBody,
  name = change.agent_url,
): { readonly title: string; readonly summary: string } {
  const { kind, agent_url: url, parts } = change;
  const came = outcomeOf(change);
  const about = came.length > 0 ? came : parts;
  return {
    title: `${name.slice(0, MAX_NAME)} ${KINDS[kind]}${about.length === 0 ? '' : `: ${about.join(', ')}`}`,
    summary: [
      `${url} ${KINDS[kind]}.`,
      ...(came.length === 0 ? [] : [`Result: ${came.join(', ')}.`]),
      ...(parts.length === 0 ? [] : [`Changed: ${parts.join(', ')}.`]),
    ].join(' '),
  };
}

function outcomeOf(change: ChangeBody): readonly string[] {
  const { kind, compliance_status: status, lifecycle_stage: stage } = change;
  const { badges_earned: earned = [], badges_lost: lost = [] } = change;
  // one that is new was never tested
  const isTested = status !== undefined && (status !== 'unknown' || kind !== 'listed');
  return [
    ...(isTested ? [`tests ${status.replace('_', ' ')}`] : []),
    ...earned.map((role) => `verified for ${role}`),
    ...lost.map((role) => `no longer verified for ${role}`),
    ...(stage === undefined ? [] : [`stage ${stage}`]),
  ];
}
