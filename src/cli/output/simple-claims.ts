import { namesPublisher } from '../../discovery/own-properties.ts';
import { notOffered } from '../../domain/agent-findings.ts';
import type { AdagentsDeclaration } from '../../domain/declaration.ts';
import type { Observation } from '../../domain/observation.ts';
import { shortText } from '../../domain/text.ts';

/** So many agents of a file are compared. */
export const MAX_CLAIMING = 20;
const MAX_NAMES = 10;

/** What the last good look at an agent saw. */
export type SeenOfAgent = Pick<Observation, 'protocol' | 'exposed'>;

/**
 * What a publisher's simple file (specification, 4.3) says of itself and of its agents, beside what the domain and the
 * agents are: claims change nothing, and somebody should see where they are wrong.
 */
export function simpleClaims(
  { publisher = {}, entries, variant }: AdagentsDeclaration,
  domain: string | undefined,
  seenOf: (agent: string) => SeenOfAgent | undefined,
): readonly string[] {
  if (variant !== 'simple') return [];
  const { name, domain: named } = publisher;
  const isOther = named !== undefined && domain !== undefined && !namesPublisher(named, domain);
  const own = isOther ? `; but this file is that of ${domain}` : '';
  const said = [name, named].flatMap((text) => shortText(text, 200) ?? []).join(', ');
  return [
    ...(said === '' ? [] : [`publisher  ${said}${own}`]),
    ...entries.slice(0, MAX_CLAIMING).map(({ agent, claimedProtocol, claimedCapabilities = [] }) => {
      const seen = seenOf(agent);
      const missing =
        seen?.exposed === undefined ? [] : notOffered(claimedCapabilities, seen.exposed.capabilities);
      const speaks = seen?.protocol;
      const isWrong = speaks !== undefined && claimedProtocol?.toLowerCase() !== speaks;
      const claims = [
        ...(claimedProtocol === undefined
          ? []
          : [`protocol ${shortText(claimedProtocol, 64)}${isWrong ? `, but it speaks ${speaks}` : ''}`]),
        ...(claimedCapabilities.length === 0 ? [] : [`capabilities ${listed(claimedCapabilities)}`]),
        ...(missing.length === 0 ? [] : [`but it does not offer ${listed(missing)}`]),
        ...(seen?.exposed === undefined ? ['never read, so nothing was compared'] : []),
      ];
      return `${agent}  ${claims.join('; ')}`;
    }),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((text) => shortText(text, 64) ?? '');
  return [...shown, ...(names.length > shown.length ? [`and ${names.length - shown.length} more`] : [])].join(
    ', ',
  );
}
