import { composeFetcher, createTxtResolver, systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { type Challenge, proofPlaces } from '../../domain/ownership.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import { newChallenge } from '../../owners/challenge.ts';
import { findProof, type ProofSearch } from '../../owners/find-proof.ts';
import type { OwnerFlags, ProveFlags } from '../commands/agents.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { onInterrupt } from '../interrupt.ts';
import { printJson, printLine } from '../output/print.ts';
import { visible } from '../output/visible.ts';
import { networkOf, tiersOf } from '../settings.ts';
import { WRITE, withStore } from '../with-store.ts';
import { reconsiderAgent } from './reconsider.ts';

/** `registry agents challenge`: the same text again as long as the last one is open. */
export function challengeAgent(text: string, flags: OwnerFlags): Promise<ExitCode> {
  const agent = readAgentUrl(text, 'owned');
  return withStore(flags, WRITE, async ({ records }) => {
    const now = systemClock.now();
    const challenge = await records.owners.challenge(newChallenge(agent, flags.member, now), now);
    if (flags.json) printJson(challengeJson(challenge));
    else printChallenge(challenge);
    return EXIT.ok;
  });
}

/** `registry agents prove`: 0 when the text was found, 1 when it was not. */
export function proveAgent(text: string, flags: ProveFlags): Promise<ExitCode> {
  const agent = readAgentUrl(text, 'owned');
  const { member } = flags;
  const txt = createTxtResolver(flags.dns);
  return withStore(flags, WRITE, async ({ records, index }, config) => {
    const tiers = await tiersOf(config);
    const challenge = await records.owners.challengeOf(agent, member);
    const { token } = open(challenge, agent, member);
    const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock, records.robots);
    const interrupt = onInterrupt();
    try {
      const found = await findProof(agent, token, { fetcher, txt, signal: interrupt.signal });
      if (interrupt.signal.aborted) return EXIT.interrupted;
      if (found.via === undefined) return printNotFound(agent, flags, found);
      const proven = await records.owners.prove({ agent, member, token, via: found.via }, systemClock.now());
      if (!proven) throw noChallenge(agent, member, 'ended meanwhile');
      await reconsiderAgent(records, agent, tiers);
      await stitchToTheEnd({ records, index, clock: systemClock, rederive: deriveStored });
      return printFound(agent, flags, found);
    } finally {
      await fetcher.close();
      interrupt.dispose();
    }
  });
}

function open(challenge: Challenge | undefined, agent: string, member: string): Challenge {
  if (challenge === undefined) throw noChallenge(agent, member, 'there is none');
  if (challenge.expiresAt > systemClock.now()) return challenge;
  throw noChallenge(agent, member, `it expired on ${instant(challenge.expiresAt)}`);
}

function noChallenge(agent: string, member: string, why: string): RegistryError {
  return new RegistryError('not_found', `${member} has no open challenge for ${agent}: ${why}`, {
    hint: `ask for one: registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

function challengeJson({ agent, member, token, expiresAt }: Challenge) {
  const { fileUrl, dnsName } = proofPlaces(agent);
  return {
    url: agent,
    member,
    token,
    expires_at: instant(expiresAt),
    file_url: fileUrl,
    dns_name: dnsName ?? null,
  };
}

function printChallenge({ agent, member, token, expiresAt }: Challenge): void {
  const { fileUrl, dnsName } = proofPlaces(agent);
  printLine(`publish this text before ${instant(expiresAt)}, in one of these places:`);
  printLine(`  ${token}`);
  printLine(`as a line of the file  ${fileUrl}`);
  if (dnsName !== undefined) printLine(`or as a TXT record     ${dnsName}`);
  printLine(`then: registry agents prove ${shellWord(agent)} --member ${member}`);
}

function printFound(agent: string, { member, json }: ProveFlags, { via, looked }: ProofSearch): ExitCode {
  if (json) printJson({ url: agent, member, proven: true, via, looked });
  else printLine(`${member} owns ${agent}, shown by ${looked.find(({ way }) => way === via)?.where}`);
  return EXIT.ok;
}

function printNotFound(agent: string, { member, json }: ProveFlags, { looked }: ProofSearch): ExitCode {
  if (json) printJson({ url: agent, member, proven: false, via: null, looked });
  else {
    printLine(`${member} does not own ${agent} yet:`);
    for (const { where, seen } of looked) printLine(visible(`  ${where}: ${seen}`));
    printLine(`what to publish: registry agents challenge ${shellWord(agent)} --member ${member}`);
  }
  return EXIT.findings;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
