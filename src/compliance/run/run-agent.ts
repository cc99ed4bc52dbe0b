import { randomBytes, randomUUID } from 'node:crypto';
import { type JsonObject, present } from '../../base/json.ts';
import { createRedact, type Redact } from '../../base/redact.ts';
import { CallFailure } from '../../calling/failure.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import type { RunTrigger } from '../../domain/judged-run.ts';
import { ProvenOrigin } from '../../domain/proven-origin.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fetcher } from '../../ports/fetcher.ts';
import type { RunCredential } from '../../ports/run-credential.ts';
import type { WebhookListener } from '../../ports/webhook-listener.ts';
import { withConsent } from '../conversation/consent.ts';
import {
  createRequestBudget,
  createWaitMeter,
  withRecorder,
  withWaiting,
} from '../conversation/conversation.ts';
import { redactFailure } from '../conversation/evidence.ts';
import { createIdentities, runToken, type Sign } from '../conversation/identities.ts';
import { openConversation } from '../conversation/live-conversation.ts';
import { openSaved, savedHead, saveInto } from '../conversation/saved-run.ts';
import type { AgentUnderTest, ComplianceRun } from '../run-result.ts';
import type { Bundle } from '../storyboards/bundle.ts';
import type { RunValues } from './context.ts';
import { CLEAN_UP_MS } from './created.ts';
import { judgedBy, otherJudges } from './report.ts';
import { runBundle, unreachableRun, unreadRun } from './run-bundle.ts';
import type { Progress, RunFacts } from './run-state.ts';

/** One call, milliseconds. */
const STEP_MS = 30_000;
/** A whole run, milliseconds. */
const RUN_MS = 600_000;
/** Requests to one agent in a run. */
const RUN_REQUESTS = 1_000;

export interface RunOptions {
  /** The URL to dial, absolute. */
  readonly url: string;
  readonly bundle: Bundle;
  /**
   * Why storyboards may be run against this agent at all (docs/reference/compliance.md, Consent): a proven owner agreed, or an
   * operator named it. It decides nothing here; it is asked for so that nobody starts a run without having looked. What it
   * covers is the origin of `url`, and nothing of the run leaves that.
   */
  readonly consent: 'owner' | 'operator';
  readonly clock: Clock;
  readonly trigger: RunTrigger | null;
  /** A UUID that was promised for it. Default: a fresh one. */
  readonly runId?: string;
  /** As asked for, `3.0` for example; the bundle is what it was resolved to. */
  readonly target: string;
  /** Who we are to the agent: `operator`, `agent_url`, `brand.domain`, as storyboards refer to it with `$test_kit`. */
  readonly testKit?: JsonObject;
  /** Named where samples of a foreign bundle name somebody whom the token does not act for. */
  readonly operator?: string;
  /** Of the schemas by which answers are judged, `3.0.0`. */
  readonly version: string;
  readonly dryRun?: boolean;
  /** The run before this one was lost (`RunLease.afterLoss`): whoever reads this one is told. */
  readonly afterLoss?: boolean;
  /** Ids of storyboards; none: all that the agent is to pass. */
  readonly only?: readonly string[];
  readonly tracks?: readonly string[];
  /** One call, the whole run (milliseconds), and requests. Default 30,000, 600,000 and 1,000. */
  readonly limits?: { readonly stepMs?: number; readonly runMs?: number; readonly requests?: number };
  readonly signal?: AbortSignal;
  readonly tell?: (progress: Progress) => void;
  /**
   * Chooses the bundle by what the agent declares, once it has answered for its capabilities; `bundle` and `target` are
   * those of a run that does not come so far. What it rejects with ends the run.
   */
  readonly choose?: (agent: AgentUnderTest) => Promise<ChosenBundle>;
}

export interface LiveRunOptions extends RunOptions {
  readonly fetcher: Fetcher;
  /** Bearer token, one that is renewed perhaps: sent to the agent's own origin only, and in nothing that is returned. */
  readonly auth?: string | RunCredential;
  readonly sign?: Sign;
  /** Tried in this order; default MCP, then A2A. */
  readonly protocols?: readonly Protocol[];
  /** The loopback origin that the user typed. */
  readonly openOrigin?: string;
  /** A folder for every exchange. */
  readonly save?: string;
  /** Where the agent can post webhooks to; without one, steps about webhooks are gaps. */
  readonly listener?: WebhookListener;
  /** Tells whether our own way to the network works, asked when the agent's does not. */
  readonly control?: () => Promise<boolean>;
}

/** A bundle for one agent. */
export interface ChosenBundle {
  readonly bundle: Bundle;
  /** As asked for, before aliases were resolved. */
  readonly target: string;
  /** Why it is not of a version that the agent declares, or not what was asked for; one sentence, lower case. */
  readonly mismatch?: string;
  /** As in `RunOptions`, for this bundle. */
  readonly operator?: string;
}

/**
 * Runs the storyboards that an agent is to pass, over the network: one visit, one agent. Never rejects for anything that
 * the agent does; a fault of ours makes the run inconclusive. Rejects with a RegistryError for a folder to save in that
 * cannot be used, and with a TypeError for a relative URL.
 */
export async function runAgent(options: LiveRunOptions): Promise<ComplianceRun> {
  const { fetcher, clock, limits = {}, openOrigin, signal } = options;
  const url = new URL(options.url);
  const saving = options.save === undefined ? undefined : await saveInto(options.save);
  const budget = createRequestBudget(limits.requests ?? RUN_REQUESTS);
  const origin = ProvenOrigin.of(options.url);
  const given = origin.takesCredentials ? options.auth : undefined; // whoever gives one has asked before
  const bounds = {
    host: url.hostname,
    origin,
    deadlineMs: (limits.runMs ?? RUN_MS) + CLEAN_UP_MS,
    ...(signal && { signal }),
    ...(openOrigin !== undefined && { openOrigin }),
  };
  return fetcher.visit(bounds, async (visit) => {
    const { protocols = ['mcp', 'a2a'], sign, listener } = options;
    const callMs = limits.stepMs ?? STEP_MS;
    const token = given === undefined ? undefined : await runToken(given, visit, clock);
    const waits = createWaitMeter(() => (visit.heldMs?.() ?? 0) + (token?.heldMs() ?? 0));
    const plain = createRedact(token?.seen ?? []);
    const redact: Redact = (value) => waits.reading(() => plain(value));
    const identities = createIdentities({
      url,
      visit,
      origin,
      clock,
      budget,
      protocols,
      callMs,
      ...(token && { token }),
      ...(sign && { sign }),
    });
    // the wait for the domain's turn is no part of the run's time
    const facts = beginRun(options, { auth: token !== undefined, sign: sign !== undefined });
    const run = { ...facts, budget, waits, visit: visit.signal, ...(token && { token }) };
    try {
      const { result: opened } = await waits.around(() =>
        openConversation({
          ...{ identities, budget, redact, callMs, clock, signal: visit.signal },
          ...(listener && { listener }),
        }),
      );
      if (opened instanceof CallFailure) return await unreachableRun(run, redactFailure(opened, redact));
      if (!('tools' in opened)) return await unreadRun(run, opened);
      const chosenRun =
        options.choose === undefined ? run : withBundle(run, await options.choose(opened.agent));
      await saving?.begin(savedHead(chosenRun, opened, judgedBy(chosenRun)));
      const conversation = withWaiting(withConsent(opened, facts.dryRun), waits);
      return await runBundle(
        chosenRun,
        saving === undefined ? conversation : withRecorder(conversation, saving.record),
      );
    } finally {
      await identities.close();
    }
  });
}

function withBundle(facts: RunFacts, { bundle, target, mismatch, operator }: ChosenBundle): RunFacts {
  const { madeAt: _made, operator: _operator, ...values } = facts.values;
  return {
    ...facts,
    ...{ bundle, target },
    values: {
      ...values,
      ...(bundle.madeAt !== undefined && { madeAt: bundle.madeAt }),
      ...(operator !== undefined && { operator }),
    },
    ...(mismatch !== undefined && { mismatch }),
  };
}

/** The checks of a run again, on the answers that were saved, with no network at all. */
export async function replayAgent(options: Omit<RunOptions, 'url'>, folder: string): Promise<ComplianceRun> {
  const { run: saved, conversation } = await openSaved(folder);
  const facts = beginRun({ ...options, url: saved.agent_url }, { auth: true, sign: true });
  const values = {
    ...facts.values,
    seed: saved.seed,
    runId: saved.run_id,
    startedAt: saved.started_at,
    testKit: saved.test_kit,
    ...(saved.operator !== undefined && { operator: saved.operator }),
    ...(saved.webhook_base !== undefined && { webhookBase: saved.webhook_base }),
  };
  const again = { ...facts, values, hasCredential: saved.has_credential, canSign: saved.can_sign };
  const found = await options.choose?.(conversation.agent);
  const chosen =
    found === undefined ? again : withBundle(again, { ...found, ...present({ operator: saved.operator }) });
  const run = await runBundle(chosen, conversation);
  return { ...run, notices: [...run.notices, ...otherJudges(saved.judged_by, judgedBy(chosen))] };
}

function beginRun(
  options: RunOptions & Pick<LiveRunOptions, 'listener'>,
  given: { readonly auth: boolean; readonly sign: boolean },
): RunFacts {
  const { clock, limits = {}, only = [], tracks = [], dryRun = false, tell = () => undefined } = options;
  const startedAt = clock.now();
  const values: RunValues = {
    seed: randomBytes(16).toString('hex'),
    runId: options.runId ?? randomUUID(),
    startedAt,
    ...(options.bundle.madeAt !== undefined && { madeAt: options.bundle.madeAt }),
    agentUrl: options.url,
    ...(options.operator !== undefined && { operator: options.operator }),
    ...(options.listener && { webhookBase: options.listener.base }),
    testKit: { ...options.testKit, ...(given.auth && { auth: { api_key: '[given]' } }) },
  };
  return {
    ...options,
    values,
    only,
    tracks,
    dryRun,
    tell,
    beganAt: startedAt,
    hasCredential: given.auth,
    canSign: given.sign,
    stepMs: limits.stepMs ?? STEP_MS,
    endsAt: startedAt + (limits.runMs ?? RUN_MS),
  };
}
