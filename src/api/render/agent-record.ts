import type { LiveState } from '../../domain/agent-facts.ts';
import type { AgentHit } from '../../domain/agent-query.ts';
import type { ListSwitches } from '../../query/list-filters.ts';
import { freshness } from './freshness.ts';
import { health } from './health.ts';

/**
 * The JSON text of one agent record (specification, 2.1, in its order of fields). The stored texts are passed
 * through unparsed; only what changes by time is made here. A group that was never observed is absent, but for
 * compliance, which is always known.
 */
export function renderAgentRecord(
  hit: AgentHit,
  live: LiveState | undefined,
  switches: ListSwitches,
  now: number,
): string {
  const [stats, publishers] = switches.properties ? splitProperties(hit.properties) : ['', ''];
  return (
    hit.base.slice(0, -1) +
    member('freshness', JSON.stringify(freshness(live, now))) +
    (switches.health ? member('health', JSON.stringify(health(live))) : '') +
    stats +
    (switches.capabilities ? member('capabilities', hit.capabilities) : '') +
    (switches.compliance ? member('compliance', hit.compliance) : '') +
    `${publishers}}`
  );
}

function member(name: string, json: string | undefined): string {
  return json === undefined ? '' : `,"${name}":${json}`;
}

// With both quotes unescaped this can only be the member itself: inside a JSON string they are escaped.
const SECOND_MEMBER = ',"publisher_domains":';

/** The group's text in two: `stats` stands before the capabilities, its other members after the compliance. */
function splitProperties(properties: string | undefined): readonly [string, string] {
  if (properties === undefined) return ['', ''];
  const at = properties.indexOf(SECOND_MEMBER);
  if (at === -1) return [`,${properties.slice(1, -1)}`, ''];
  return [`,${properties.slice(1, at)}`, properties.slice(at, -1)];
}
