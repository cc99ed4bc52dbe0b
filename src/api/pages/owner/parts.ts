import type { FastifyRequest } from 'fastify';
import type { Credentials } from '../../../owners/credentials.ts';
import type { FindProof } from '../../../owners/proof.ts';
import type { OwnerSession } from '../../../pages/owner/frame.ts';
import type { ShownSteps } from '../../../pages/owner/view.ts';
import type { EvidencedRun } from '../../../ports/compliance.ts';
import type { Records } from '../../../ports/records.ts';
import type { MayContact } from '../../../ports/subscriptions.ts';
import type { Limiter, RateLimit } from '../../callers.ts';
import type { GraphParts } from '../../operations/graph/reading.ts';
import type { Joining } from '../../operations/joining.ts';
import type { AddressParts } from '../../operations/own-agent.ts';
import type { Proving } from '../../operations/ownership-proof.ts';
import type { SettingsParts } from '../../operations/settings.ts';
import { checkOptions, DEFAULT_TESTER, type Tester } from '../../render/check-options.ts';
import { stepDiagnostics } from '../../render/step-diagnostics.ts';
import type { FormFields } from '../forms.ts';
import type { Sessions } from './sessions.ts';

export interface OwnerPagesParts extends GraphParts, SettingsParts, AddressParts {
  readonly records: Records;
  readonly credentials?: Credentials;
  readonly proving: Proving;
  readonly joining: Joining;
  /** Absent: nothing is proven here. */
  readonly findProof?: FindProof;
  /** As whom this registry tests; absent: as whom it does where no setting says otherwise. */
  readonly tester?: Tester;
  readonly limiter: Limiter;
  /** Counts what members have sent to the sites of subscribers. */
  readonly mayContact: MayContact;
  readonly rateLimit?: RateLimit;
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
}

/** What each page of an owner has. */
export interface OwnPageParts extends OwnerPagesParts {
  readonly sessions: Sessions;
}

/** What a form sends. */
export type FormRequest<Params = unknown> = FastifyRequest<{ Params: Params; Body: FormFields }>;

/** The same about one agent. */
export type OwnFormRequest = FormRequest<{ encodedUrl: string }>;

/** Who is signed in, for the frame of a page. */
export function ownerSession(request: FastifyRequest, sessions: Sessions): OwnerSession {
  const { viewer, session } = request;
  if (viewer?.kind !== 'member' || session === undefined) throw new Error('nobody is signed in');
  const { member, keyId } = viewer;
  return { member, keyId, token: () => sessions.formToken(request) };
}

/** What failed in a run, for the page, with what the command takes that shows it again. */
export async function shownSteps(
  { records, tester = DEFAULT_TESTER }: Pick<OwnerPagesParts, 'records' | 'tester'>,
  agent: string,
  run: EvidencedRun | undefined,
  most: number,
): Promise<ShownSteps> {
  const hasCredential = (await records.owners.credential(agent)) !== undefined;
  return {
    ...stepDiagnostics(agent, run, most),
    options: run === undefined ? [] : checkOptions(agent, run, { tester, hasCredential }),
  };
}
