import type { FileCheck } from '../../../discovery/check-file.ts';
import { type SeenOfAgent, simpleClaims } from '../../output/simple-claims.ts';
import type { OpenFetcher } from '../../setup/fetcher.ts';

/** Agents that are asked: enough to see a mistake, few enough to be polite. */
const MAX_ASKED = 5;
const PATIENCE_MS = 10_000;

/** What a simple file claims; with a way out, its first agents are asked what they are. */
export async function claimsOf(
  { simple }: FileCheck,
  domain: string | undefined,
  open?: OpenFetcher,
): Promise<readonly string[]> {
  if (simple === undefined) return [];
  const seen = new Map<string, SeenOfAgent>();
  if (open !== undefined) {
    const { probeAgent } = await import('../../../probe/probe.ts');
    const asked = new Map(simple.entries.map(({ agent, url }) => [agent, url]));
    const ask = async ([key, url]: readonly [string, string]): Promise<void> => {
      seen.set(key, await probeAgent({ ...open, key, url, deadlineMs: PATIENCE_MS }));
    };
    await Promise.all([...asked].slice(0, MAX_ASKED).map(ask));
  }
  return simpleClaims(simple, domain, (agent) => seen.get(agent));
}
