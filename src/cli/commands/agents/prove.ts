import { type Challenge, proofPlaces } from '../../../domain/ownership.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import type { ProofSearch } from '../../../owners/proof.ts';
import { command } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type FlagValues, requiredFlag, textFlag } from '../../flags.ts';
import { namedAgentUrl } from '../../input/arguments.ts';
import { onInterrupt } from '../../interrupt.ts';
import { printJson, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';
import { networkOf, tiersOf } from '../../setup/settings.ts';
import { CHANGE, WRITE, withStore } from '../../setup/store.ts';
import { JSON_FLAG, NETWORK_FLAGS, STORE_FLAGS } from '../../shared-flags.ts';

const MEMBER = { member: requiredFlag('--member <slug>', 'the member') };
type OwnerFlags = FlagValues<typeof MEMBER & typeof JSON_FLAG>;

/** The same text again as long as the last one is open. */
const challenge = command({
  name: 'challenge',
  description: "Print a text to publish, which proves that a member controls a registered agent's domain.",
  arguments: [['<url>', 'the agent']],
  flags: { ...MEMBER, ...STORE_FLAGS, ...JSON_FLAG },
  run(flags, url) {
    const agent = namedAgentUrl(url, 'owned');
    return withStore(flags, WRITE, async ({ records, clock }) => {
      const { newChallenge, shownChallenge } = await import('../../../owners/proof.ts');
      const now = clock.now();
      const given = await records.owners.challenge(newChallenge(agent, flags.member, now), now);
      if (flags.json) printJson({ url: given.agent, member: given.member, ...shownChallenge(given) });
      else printChallenge(given);
      return EXIT.ok;
    });
  },
});

/** 0 when the text was found, 1 when it was not. */
const prove = command({
  name: 'prove',
  description:
    'Look for the published text. If it is found, the member becomes the owner and replaces any earlier owner.',
  arguments: [['<url>', 'the agent']],
  flags: {
    dns: textFlag('--dns <address>', "name server to ask (default: the system's)"),
    ...MEMBER,
    ...STORE_FLAGS,
    ...NETWORK_FLAGS,
    ...JSON_FLAG,
  },
  async run(flags, url) {
    const agent = namedAgentUrl(url, 'owned');
    const { member } = flags;
    const { composeFetcher, createTxtResolver } = await import('../../../compose/network.ts');
    const { findProof } = await import('../../../owners/proof.ts');
    const { reconsiderAgent, updateIndex } = await import('../../setup/after-change.ts');
    const txt = createTxtResolver(flags.dns);
    return withStore(flags, CHANGE, async ({ records, index, clock }, config) => {
      const tiers = await tiersOf(config);
      const begun = clock.now();
      const last = await records.owners.challengeOf(agent, member);
      const { token } = openOf(last, { agent, member, now: begun });
      const fetcher = composeFetcher(config, await networkOf(flags, config), clock, records.robots);
      const interrupt = onInterrupt();
      try {
        const found = await findProof(agent, token, { fetcher, txt, signal: interrupt.signal });
        if (interrupt.signal.aborted) return EXIT.interrupted;
        if (found.via === undefined) return printNotFound(agent, flags, found);
        const outcome = await records.owners.prove({ agent, member, token, via: found.via }, clock.now());
        // the same command, or a request of the member, may have used the text since this one began
        const owner = outcome === 'proven' ? undefined : await records.owners.owner(agent);
        const isOwner = outcome === 'proven' || (owner?.member === member && owner.provenAt >= begun);
        if (!isOwner) throw noChallenge(agent, member, 'it was used or replaced in the meantime');
        await updateIndex({ records, index }, () => reconsiderAgent(records, agent, tiers));
        return printFound(agent, flags, found);
      } finally {
        await fetcher.close();
        interrupt.dispose();
      }
    });
  },
});

export default [challenge, prove];

function openOf(
  challenge: Challenge | undefined,
  { agent, member, now }: { readonly agent: string; readonly member: string; readonly now: number },
): Challenge {
  if (challenge === undefined) throw noChallenge(agent, member);
  if (challenge.expiresAt > now) return challenge;
  throw noChallenge(agent, member, `it expired on ${instant(challenge.expiresAt)}`);
}

function noChallenge(agent: string, member: string, why?: string): RegistryError {
  return new RegistryError(
    'not_found',
    `${member} has no open challenge for ${agent}${why === undefined ? '' : `: ${why}`}`,
    {
      hint: `create one: agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
    },
  );
}

function printChallenge({ agent, member, token, expiresAt }: Challenge): void {
  const { fileUrl, dnsName } = proofPlaces(agent);
  printLine(`publish this text before ${instant(expiresAt)} in one of these places:`);
  printLine(`  ${token}`);
  printLine(`as a line of the file  ${fileUrl}`);
  if (dnsName !== undefined) printLine(`or as a TXT record     ${dnsName}`);
  printLine(`then: agent-registry agents prove ${shellWord(agent)} --member ${member}`);
}

function printFound(agent: string, { member, json }: OwnerFlags, { via, looked }: ProofSearch): ExitCode {
  if (json) printJson({ url: agent, member, proven: true, via, looked });
  else {
    printLine(`${member} owns ${agent}, proven at ${looked.find(({ way }) => way === via)?.where}`);
    printLine(
      'the first test is due now; if the agent needs a login, store a credential (a test that lacked it is repeated):',
    );
    const command = `agent-registry agents credential ${shellWord(agent)} --member ${member}`;
    printLine(`  ${command} --auth-env TOKEN`);
  }
  return EXIT.ok;
}

function printNotFound(agent: string, { member, json }: OwnerFlags, { looked }: ProofSearch): ExitCode {
  if (json) printJson({ url: agent, member, proven: false, via: null, looked });
  else {
    printLine(`${member} does not own ${agent} yet:`);
    for (const { where, seen } of looked) printLine(visible(`  ${where}: ${seen}`));
    printLine(
      `to see the text to publish: agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
    );
  }
  return EXIT.findings;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
