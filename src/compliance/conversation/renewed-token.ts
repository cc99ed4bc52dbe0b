import { createRedact } from '../../base/redact.ts';
import type { Inconclusive } from '../../domain/judged-run.ts';
import { RegistryError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Visit } from '../../ports/fetcher.ts';
import type { RunCredential } from '../../ports/run-credential.ts';

/** The bearer token of a run, which may have to be renewed while the run goes on. */
export interface RunToken {
  /** Every text that it has had, and what was sent for it: hidden wherever it comes back. */
  readonly seen: readonly string[];
  /** What is sent now; renewed where its time has come. Never rejects. */
  current(): Promise<string>;
  /** Whether there is another one, now that the agent has refused this one with 401. Never rejects. */
  another(): Promise<boolean>;
  /** Why the run has none any more. */
  readonly lost: Inconclusive | undefined;
  /** Milliseconds that its renewals took, which are no time of the agent's. */
  heldMs(): number;
}

/** Renewals for their time begin so far apart, however shortly a token lives: an endpoint is asked 20 times in ten minutes. */
const APART_MS = 30_000;

/**
 * A token that is renewed within the visit of its run: before it ends, and once in a run when the agent refuses it with 401
 * before that. Where no other is to be had the old one goes on until it ends or is refused; then `lost` says why.
 */
export function renewedToken(
  first: RunCredential,
  visit: Pick<Visit, 'elsewhere' | 'signal'>,
  clock: Clock,
): RunToken {
  let credential = first;
  const seen = secretsOf(first);
  const redact = createRedact(seen);
  let notBefore = 0;
  let wasRefused = false;
  let heldMs = 0;
  let failure: Inconclusive | undefined;
  let lost: Inconclusive | undefined;

  async function renew(renewal: NonNullable<RunCredential['renewal']>): Promise<boolean> {
    const began = performance.now();
    try {
      credential = await renewal.renew(visit);
      seen.push(...secretsOf(credential).filter((text) => !seen.includes(text)));
      return true;
    } catch (error) {
      failure = redact(reasonOf(error)); // an endpoint may say an earlier token again
      return false;
    } finally {
      heldMs += performance.now() - began;
    }
  }

  return {
    seen,
    get lost() {
      return lost;
    },
    heldMs: () => heldMs,
    async current() {
      const { renewal } = credential;
      const now = clock.now();
      if (renewal?.renewAt === undefined || now < Math.max(renewal.renewAt, notBefore))
        return credential.token;
      notBefore = now + APART_MS;
      if (!(await renew(renewal)) && renewal.endsAt !== undefined && now >= renewal.endsAt) lost ??= failure;
      return credential.token;
    },
    async another() {
      const { renewal } = credential;
      if (renewal === undefined || wasRefused) return false;
      wasRefused = true;
      const isRenewed = await renew(renewal);
      if (!isRenewed) lost ??= failure;
      return isRenewed;
    },
  };
}

function secretsOf({ token, sent = [] }: RunCredential): string[] {
  return [token, ...sent];
}

/** As before a run (pipelines/run-not-made.ts): no token is a closed door, and what only we can mend is our own fault. */
function reasonOf(error: unknown): Inconclusive {
  if (error instanceof RegistryError && error.code === 'token_refused')
    return {
      ...{ reason: 'auth_required', lacks: 'credential' },
      detail: `the stored OAuth client could not get a new token: ${error.message}`,
    };
  return { reason: 'own_fault', detail: 'the stored credential could not be read' };
}
