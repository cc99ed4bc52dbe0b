import type { FastifyRequest } from 'fastify';
import type { Budgets } from '../../../budgets/budgets.ts';
import { NO_CREDENTIAL, STOPPED, UNSIGNED } from '../../../compliance/run/step-skips.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import type { Inconclusive } from '../../../domain/judged-run.ts';
import type { Credentials } from '../../../owners/credentials.ts';
import type { FindProof } from '../../../owners/proof.ts';
import type { OwnerSession } from '../../../pages/owner/frame.ts';
import type { RunTroubles, ShownSteps } from '../../../pages/owner/view.ts';
import type { Records } from '../../../ports/records.ts';
import type { EvidencedRun } from '../../../records/runs/compliance-runs.ts';
import type { Limiter } from '../../callers.ts';
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
  /** REGISTRY_COMPLIANCE_TARGET; absent: the newest line. */
  readonly complianceTarget?: string;
  readonly proving: Proving;
  readonly joining: Joining;
  /** Absent: this registry does not verify domains. */
  readonly findProof?: FindProof;
  /** The identity with which this registry tests; absent: the default one. */
  readonly tester?: Tester;
  readonly limiter: Limiter;
  readonly budgets: Budgets;
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
}

/** The parts of each page for owners. */
export interface OwnPageParts extends OwnerPagesParts {
  readonly sessions: Sessions;
}

/** A request with the fields of a form. */
export type FormRequest<Params = unknown> = FastifyRequest<{ Params: Params; Body: FormFields }>;

/** The same about one agent. */
export type OwnFormRequest = FormRequest<{ encodedUrl: string }>;

/** The signed-in member, for the frame of a page. */
export function ownerSession(request: FastifyRequest, sessions: Sessions): OwnerSession {
  const { viewer, session } = request;
  if (viewer?.kind !== 'member' || session === undefined) throw new Error('not signed in');
  const { member, keyId } = viewer;
  return { member, keyId, token: () => sessions.formToken(request) };
}

/** The failed steps of a run, with the flags of the command that repeats them. */
export async function shownSteps(
  parts: Pick<OwnerPagesParts, 'records' | 'tester' | 'credentials'>,
  agent: string,
  run: EvidencedRun | undefined,
  most: number,
): Promise<ShownSteps> {
  const { records, tester = DEFAULT_TESTER } = parts;
  const hasCredential = (await records.owners.credential(agent)) !== undefined;
  const setup = (await records.owners.settings(agent))?.testSetup;
  return {
    ...stepDiagnostics(agent, run, most),
    ...(run?.inconclusive && {
      inconclusive: {
        ...run.inconclusive,
        ...blockedOf(run, run.inconclusive),
        credential: await credentialOf(parts, agent, run),
      },
    }),
    options: run === undefined ? [] : checkOptions(agent, run, { tester, hasCredential, setup }),
  };
}

/** The first step that could not run for the reason of an inconclusive run, and how many there are. */
function blockedOf({ report }: EvidencedRun, { reason, lacks }: Inconclusive): Pick<Blocked, 'blocked'> {
  const steps = Array.isArray(report?.steps) ? (report.steps as readonly StepResult[]) : [];
  const detail =
    reason !== 'auth_required' ? STOPPED.detail : lacks === 'signing_key' ? UNSIGNED : NO_CREDENTIAL.detail;
  const all = steps.filter(({ skip_detail: why = '' }) => why.includes(detail));
  const [first] = all;
  if (first === undefined) return {};
  const { storyboard_id: storyboard, phase_id: phase, step_id: step } = first;
  return { blocked: { step: `${storyboard}/${phase}/${step}`, steps: all.length } };
}

type Blocked = NonNullable<ShownSteps['inconclusive']>;

/** Whether a credential is stored, and whether the run could have used it. */
export async function credentialOf(
  { records, credentials }: Pick<OwnerPagesParts, 'records' | 'credentials'>,
  agent: string,
  run: Pick<EvidencedRun, 'started_at'>,
): Promise<RunTroubles['credential']> {
  if (credentials === undefined) return 'never';
  const stored = await records.owners.credential(agent);
  if (stored === undefined) return 'not_stored';
  return stored.setAt <= Date.parse(run.started_at) ? 'stored_before' : 'stored_since';
}
