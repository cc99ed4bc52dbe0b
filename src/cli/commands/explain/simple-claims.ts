import { shortText } from '../../../domain/text.ts';
import type { Records } from '../../../ports/records.ts';
import type { SourceJourney } from '../../../ports/source-store.ts';

const MAX_AGENTS = 20;
const MAX_NAMES = 10;

/**
 * What a publisher's simple file (specification, 4.3) says of itself and of its agents, beside what the domain and the
 * agents are: claims change nothing, and somebody should see where they are wrong.
 */
export async function simpleClaims(
  { agents }: Pick<Records, 'agents'>,
  domain: string,
  journeys: readonly SourceJourney[],
): Promise<readonly string[]> {
  const live = journeys
    .flatMap(({ declarations }) => declarations)
    .find(({ seenUntil }) => seenUntil === undefined);
  const value = live?.value;
  if (value === undefined || value.kind === 'brand' || value.variant !== 'simple') return [];
  const entries = value.entries.slice(0, MAX_AGENTS);
  const facts = await agents.facts(entries.map(({ agent }) => agent));
  const byAgent = new Map(facts.map((known) => [known.agent, known]));
  const { name, domain: named } = value.publisher ?? {};
  const own = named === undefined || named === domain ? '' : `; but this file is that of ${domain}`;
  const said = [name, named].filter((text) => text !== undefined).join(', ');
  return [
    ...(said === '' ? [] : [`    publisher  ${said}${own}`]),
    ...entries.map(({ agent, claimedProtocol, claimedCapabilities = [] }) => {
      const seen = byAgent.get(agent)?.lastGood;
      const tools = new Set(seen?.exposed.capabilities.tools.map((tool) => tool.name));
      const missing = seen === undefined ? [] : claimedCapabilities.filter((task) => !tools.has(task));
      const other =
        claimedProtocol !== undefined &&
        seen !== undefined &&
        claimedProtocol.toLowerCase() !== seen.protocol;
      const claims = [
        ...(claimedProtocol === undefined
          ? []
          : [`protocol ${claimedProtocol}${other ? `, but it speaks ${seen.protocol}` : ''}`]),
        ...(claimedCapabilities.length === 0 ? [] : [`capabilities ${listed(claimedCapabilities)}`]),
        ...(missing.length === 0 ? [] : [`but it does not offer ${listed(missing)}`]),
        ...(seen === undefined ? ['never read, so nothing was compared'] : []),
      ];
      return `    ${agent}  ${claims.join('; ')}`;
    }),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((text) => shortText(text, 64) ?? '');
  return [...shown, ...(names.length > shown.length ? [`and ${names.length - shown.length} more`] : [])].join(
    ', ',
  );
}
