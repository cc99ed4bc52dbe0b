import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentKey, type Clock, type Fetcher } from '@agent-registry/surface/agent-kit';
import {
  decideChange,
  findProof,
  type NewRegistration,
  newChallenge,
  proofPlaces,
  type Records,
  type TxtResolver,
} from '@agent-registry/surface/registry';

export interface OwningParts {
  readonly records: Records;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** The folder of what the sandbox publishes under `/.well-known/`. */
  readonly wellKnown: string;
}

/**
 * Registers an agent of the sandbox and shows, as its owner would, that its domain is the member's: the text is
 * published on the host, and looked for there. Gives the address at which it was found.
 */
export async function ownAgent(
  { url, member, ...said }: Omit<NewRegistration, 'agent'>,
  { records, fetcher, clock, wellKnown }: OwningParts,
): Promise<string> {
  const agent = agentKey(url);
  await records.members.register({ agent, url, member, ...said }, clock.now());
  const wanted = newChallenge(agent, member, clock.now());
  const { token } = await records.owners.challenge(wanted, clock.now());
  const { fileUrl } = proofPlaces(agent);
  publish(fileUrl, token, wellKnown);
  const { via, looked } = await findProof(agent, token, { fetcher, txt: NO_TXT });
  const outcome = via && (await records.owners.prove({ agent, member, token, via }, clock.now()));
  if (outcome !== 'proven')
    throw new Error(`ownership of ${agent} was not proven: ${looked.map(({ seen }) => seen).join(', ')}`);
  await records.compliance.reconsider(agent, decideChange({ now: clock.now() }), clock.now());
  return fileUrl;
}

/** The names of the sandbox are on this machine alone: no name server is asked for them. */
const NO_TXT: TxtResolver = { texts: async () => ({ ok: false, reason: 'skipped in the demo' }) };

/** A line of its own, as several agents may share a host. */
function publish(fileUrl: string, line: string, wellKnown: string): void {
  const { host, pathname } = new URL(fileUrl);
  const folder = join(wellKnown, host);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, pathname.slice(pathname.lastIndexOf('/') + 1)), `${line}\n`, { flag: 'a' });
}
