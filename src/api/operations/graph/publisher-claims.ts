import { defined } from '../../../base/json.ts';
import { claimsInRecords } from '../../../discovery/simple-claims.ts';
import type { GraphParts } from './reading.ts';

/** Characters of a declaration that is read for its claims; the simple form is short. */
const MAX_CHARS = 256 * 1024;

/**
 * What the simple file of a publisher (specification, 4.3) claims of the publisher and of its agents, beside what was seen
 * of them. Undefined for any other form, and for a file that is longer than is read for it.
 */
export async function publisherClaims({ records, clock }: GraphParts, domain: string) {
  // the simple form authorises for everything or nobody, so most files are told from it by their first entry
  const [first] = await records.graph.entriesOf(domain, { after: 0, limit: 1 });
  if (first !== undefined && first.scope !== 'all') return undefined;
  const read = await records.authorisations.declarationAt(domain, clock.now(), MAX_CHARS);
  const value = read?.declaration?.value;
  if (value?.kind !== 'adagents') return undefined;
  const claims = await claimsInRecords(value, domain, (agents) => records.agents.facts(agents));
  if (claims === undefined) return undefined;
  const { publisher, agents, isCut } = claims;
  return {
    ...(publisher && {
      publisher: {
        ...defined({ name: publisher.name, domain: publisher.domain }),
        agrees: publisher.domain === undefined ? null : !publisher.isOther,
      },
    }),
    agents: agents.map(({ agent, entry, protocol, capabilities, seenProtocol, ...compared }) => ({
      ...{ agent_url: agent, entry },
      ...defined({ protocol }),
      capabilities,
      seen_protocol: seenProtocol ?? null,
      protocol_agrees:
        protocol === undefined || seenProtocol === undefined ? null : !compared.isOtherProtocol,
      capabilities_missing: compared.isRead ? compared.missing : null,
    })),
    ...(isCut && { truncated: true as const }),
  };
}
