import { member } from '../base/json.ts';
import { registrableDomainOf } from '../domain/domain-name.ts';
import type { LabResult } from '../domain/lab-report.ts';
import { ProvenOrigin } from '../domain/proven-origin.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { examineAgent, type SeenOver } from '../probe/exam.ts';
import { gradeAgent } from '../probe/grade.ts';
import type { SeenKeys } from '../probe/judgements.ts';
import type { PublishedKeyDirectory } from '../signing/agent-keys.ts';
import { usableKeys } from '../signing/usable-keys.ts';

interface ExamParts {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly directory: Pick<PublishedKeyDirectory, 'publishedBy'>;
  /** Aborted when the time of the whole exam is over. */
  readonly late: AbortSignal;
  /** Of each protocol, milliseconds. */
  readonly deadlineMs?: number;
}

const MAX_URL = 2_048;

/**
 * Examines one agent and grades it. However slowly the agent, the site of its keys or a turn with either comes, it is over
 * within its time: keys that were not found by then are not judged. Rejects when that time is over before the agent was asked.
 */
export async function gradedExam(url: string, parts: ExamParts): Promise<LabResult> {
  const { clock, directory, late, ...how } = parts;
  const from = clock.now();
  const seen = await examineAgent({ ...how, url, clock, signal: late });
  if (late.aborted) throw new Error('the exam took longer than it may');
  const keys = await Promise.race([noTimeLeft(late), keysSeen(directory, url, seen)]);
  return gradeAgent(url, seen, keys, Math.max(0, Math.round(clock.now() - from)));
}

/** The keys of an agent that was examined, found as a verifier would find them, as far as they are on its own origin. */
async function keysSeen(
  directory: ExamParts['directory'],
  url: string,
  seen: readonly SeenOver[],
): Promise<SeenKeys> {
  if (seen.every(({ failure }) => failure !== undefined)) {
    const wantsCredentials = seen.some(({ failure }) => failure?.errorClass === 'auth_required');
    return {
      reason: `not looked up: ${wantsCredentials ? 'the agent requires credentials' : 'the agent did not answer'}`,
    };
  }
  const named = brandJsonUrlNamed(seen);
  const brandJsonUrl = named ?? `https://${registrableDomainOf(url)}/.well-known/brand.json`;
  const found = await directory.publishedBy({ url, brandJsonUrl });
  if ('elsewhere' in found) {
    const isSaid = named !== undefined || ProvenOrigin.of(url).holds(brandJsonUrl);
    const where = `${isSaid ? 'published' : 'expected'} at ${found.elsewhere}`;
    return { unseen: `not tested: keys are ${where}, and the lab contacts only the origin of the agent` };
  }
  return 'reason' in found ? found : usableKeys(found.set);
}

/** The one that the capabilities name. */
function brandJsonUrlNamed(seen: readonly SeenOver[]): string | undefined {
  const named = seen
    .map(({ capabilities: told }) =>
      told?.outcome === 'answered' ? member(told.data, 'identity') : undefined,
    )
    .map((identity) => member(identity, 'brand_json_url'))
    .find((one) => typeof one === 'string' && one.length <= MAX_URL && one.startsWith('https://'));
  return typeof named === 'string' && URL.canParse(named) ? named : undefined;
}

async function noTimeLeft(late: AbortSignal): Promise<SeenKeys> {
  await new Promise((resolve) => late.addEventListener('abort', resolve, { once: true }));
  return { unseen: 'not tested: the lookup of the keys timed out' };
}
