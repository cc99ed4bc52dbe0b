import { type Destination, type Problem, parseAgentUrl, problem } from '@agent-registry/surface/agent-kit';
import { ROSTER } from '../../agents/roster.ts';
import { PLATFORMS, type Segment } from './segment-table.ts';

/** A destination that a segment can be used at, in one spelling. */
export interface KnownDestination {
  readonly type: 'platform' | 'agent';
  /** Name of the platform, or canonical address of the agent. */
  readonly name: string;
  readonly account?: string;
}

/** Sales agents of the sandbox: each takes segments. */
const SELLERS: readonly string[] = ROSTER.filter(({ type }) => type === 'sales').flatMap(
  ({ url }) => canonical(url) ?? [],
);

/** Where a segment can be used: the platforms that it is for, and every seller of the sandbox. */
export function destinationsOf({ platforms }: Segment): readonly KnownDestination[] {
  const sellers = SELLERS.map((name) => ({ type: 'agent', name }) as const);
  return [...platforms.map((name) => ({ type: 'platform', name }) as const), ...sellers];
}

/** The destination, when the segment can be used there; otherwise why not, at `pointer`. */
export function knownDestination(
  segment: Segment,
  destination: Destination,
  pointer: string,
): KnownDestination | Problem {
  const { type, platform, agent_url: agentUrl, account } = destination;
  const own = account === undefined ? {} : { account };
  if (type === 'agent') return sellerNamed(agentUrl ?? '', own, `${pointer}/agent_url`);
  if (platform === undefined) return unknownType(pointer);
  const name = platform.toLowerCase();
  if (segment.platforms.includes(name)) return { type: 'platform', name, ...own };
  const known = (PLATFORMS as readonly string[]).includes(name);
  return known ? notThere(segment, `${pointer}/platform`) : unknownPlatform(`${pointer}/platform`);
}

function sellerNamed(
  agentUrl: string,
  own: Pick<KnownDestination, 'account'>,
  pointer: string,
): KnownDestination | Problem {
  const name = canonical(agentUrl);
  if (name !== undefined && SELLERS.includes(name)) return { type: 'agent', name, ...own };
  const suggestion = `sales agents that accept segments: ${SELLERS.join(', ')}`;
  return problem('REFERENCE_NOT_FOUND', 'this agent does not accept segments', { pointer, suggestion });
}

function notThere({ platforms }: Segment, pointer: string): Problem {
  const suggestion = `supported platforms: ${platforms.join(', ')}`;
  return problem('UNSUPPORTED_FEATURE', 'the segment is not available on this platform', {
    pointer,
    suggestion,
  });
}

function unknownPlatform(pointer: string): Problem {
  const suggestion = `platforms: ${PLATFORMS.join(', ')}`;
  return problem('REFERENCE_NOT_FOUND', 'unknown platform', { pointer, suggestion });
}

function unknownType(pointer: string): Problem {
  const suggestion = 'send a destination of type platform or agent';
  return problem('VALIDATION_ERROR', 'a destination requires a platform', {
    pointer: `${pointer}/type`,
    suggestion,
  });
}

function canonical(url: string): string | undefined {
  const parsed = parseAgentUrl(url);
  return parsed.ok ? parsed.url : undefined;
}
