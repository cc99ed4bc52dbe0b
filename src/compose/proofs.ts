import type { Config } from '../config.ts';
import { createSharedProofs, type FindProof } from '../owners/proof.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Records } from '../ports/records.ts';
import { composeFetcher, createTxtResolver, type Network } from './network.ts';

interface ProofParts {
  readonly config: Pick<Config, 'contact'>;
  readonly network: Network;
  /** Absent: the rules of sites are kept in memory. */
  readonly robots?: Records['robots'];
  readonly clock: Clock;
  /** Absent: the system's. */
  readonly nameServer?: string;
}

/** Looks for what owners publish, for a process that is asked to; the fetcher is made for the first of them. */
export function composeProofs({ config, network, robots, clock, nameServer }: ProofParts): {
  readonly find: FindProof;
  close(): Promise<void>;
} {
  const txt = createTxtResolver(nameServer);
  let fetcher: Fetcher | undefined;
  let find: FindProof | undefined;
  return {
    find(...asked) {
      fetcher ??= composeFetcher(config, network, clock, robots);
      find ??= createSharedProofs({ fetcher, txt });
      return find(...asked);
    },
    close: async () => fetcher?.close(),
  };
}
