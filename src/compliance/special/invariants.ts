import { asText, elements, isObject, type JsonObject, member } from '../../base/json.ts';
import { HIDDEN } from '../../base/redact.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { TEST_CONTROLLER } from '../../protocol/tasks.ts';
import { codeOf } from '../checks/answers.ts';
import type { CheckResult } from '../step-result.ts';

/** A step that was answered. */
interface Exchanged {
  readonly task: string;
  readonly request: JsonObject;
  readonly answer: TaskAnswer;
}

/** Looks at one step after the other; a sentence for one that breaks what has to hold across all of them. */
type Watch = (exchanged: Exchanged) => Broken | undefined;
type Broken = Pick<CheckResult, 'message' | 'expected' | 'actual' | 'pointer'>;

/** What has to hold across the steps of a storyboard, by the names that the public format has for it. */
const INVARIANTS: Readonly<Record<string, (capabilities: JsonObject) => Watch>> = {
  'status.monotonic': statusGoesOn,
  'impairment.coherence': impairmentsMatch,
  'governance.denial_blocks_mutation': denialBlocks,
  'idempotency.conflict_no_payload_leak': () => conflictTellsNothing,
  'context.no_secret_echo': () => echoesNoSecret,
};

/**
 * The checks of these invariants for each step as it is answered; only those that fail, as all steps have them.
 *
 * @param capabilities The answer of the capabilities task.
 */
export function watchInvariants(
  names: readonly string[],
  capabilities: JsonObject = {},
): (exchanged: Exchanged) => readonly CheckResult[] {
  const watches = names.flatMap((name) => {
    const make = Object.hasOwn(INVARIANTS, name) ? INVARIANTS[name] : undefined;
    return make === undefined ? [] : [{ name, watch: make(capabilities) }];
  });
  return (exchanged) =>
    watches.flatMap(({ name, watch }): readonly CheckResult[] => {
      const broken = watch(exchanged);
      return broken === undefined ? [] : [{ check: name, result: 'fail', ...broken }];
    });
}

/** What is final, and what lies before a media buy can run; nothing goes back behind that. */
const FINAL: Readonly<Record<string, ReadonlySet<string>>> = {
  media_buy: new Set(['completed', 'rejected', 'canceled']),
  account: new Set(['rejected', 'closed']),
};
const BEFORE_IT_RAN: ReadonlySet<string> = new Set(['pending_creatives', 'pending_start']);
const AFTER_IT_RAN: ReadonlySet<string> = new Set(['active', 'paused', 'completed', 'canceled']);
const MAX_SEEN = 10_000;

/**
 * `status.monotonic`: what is in a final state stays there, and a media buy that ran waits for its start no more. Read
 * where a list of such things stands, as the status of an answer may be that of its task.
 */
function statusGoesOn(): Watch {
  const seen = new Map<string, string>();
  return ({ answer }) => {
    if (answer.outcome !== 'answered') return undefined;
    for (const { kind, id, status, pointer } of statesIn(answer.data)) {
      const key = `${kind} ${id}`;
      const before = seen.get(key);
      if (seen.size < MAX_SEEN) seen.set(key, status);
      if (before === undefined || before === status) continue;
      const back = kind === 'media_buy' && AFTER_IT_RAN.has(before) && BEFORE_IT_RAN.has(status);
      if (FINAL[kind]?.has(before) || back)
        return {
          message: `a ${kind} left its final state ${before}`,
          pointer,
          expected: before,
          actual: status,
        };
    }
    return undefined;
  };
}

function statesIn(data: JsonObject) {
  const of = (kind: string, list: string) =>
    elements(data[list]).flatMap((one, at) => {
      const [id, status] = [member(one, `${kind}_id`), member(one, 'status')];
      if (typeof id !== 'string' || typeof status !== 'string') return [];
      return [{ kind, id, status, pointer: `/${list}/${at}/status` }];
    });
  return [...of('media_buy', 'media_buys'), ...of('account', 'accounts')];
}

/** What a resource of each type can be when it impairs a media buy (enums/impairment-offline-state.json). */
const OFFLINE: Readonly<Record<string, ReadonlySet<unknown>>> = {
  audience: new Set(['suspended']),
  creative: new Set(['rejected', 'suspended']),
  catalog_item: new Set(['withdrawn']),
  event_source: new Set(['insufficient']),
  property: new Set(['depublished']),
};
/** Media buys whose health may stay as it was. */
const ENDED: ReadonlySet<unknown> = new Set(['completed', 'rejected', 'canceled', 'failed']);

/**
 * `impairment.coherence`: a media buy is impaired if and only if it lists impairments, and each of them is of a resource in a
 * matching offline state that no later answer has contradicted. For agents that declare the surface `snapshot`. That every
 * resource which went offline is listed is not watched: whether it affects a package is for the seller to say.
 */
function impairmentsMatch(capabilities: JsonObject): Watch {
  const surfaces = member(capabilities.media_buy, 'propagation_surfaces');
  if (!elements(surfaces).includes('snapshot')) return () => undefined;
  const seen = new Map<string, unknown>();
  return ({ task, answer }) => {
    // the test controller changes states that no answer shows
    if (task === TEST_CONTROLLER) seen.clear();
    if (answer.outcome !== 'answered') return undefined;
    for (const type of ['creative', 'audience'])
      for (const one of elements(answer.data[`${type}s`]))
        if (seen.size < MAX_SEEN) seen.set(`${type} ${member(one, `${type}_id`)}`, member(one, 'status'));
    if (task !== 'get_media_buys') return undefined;
    for (const [index, buy] of elements(answer.data.media_buys).entries()) {
      const broken = ENDED.has(member(buy, 'status')) ? undefined : incoherent(buy, seen);
      if (broken !== undefined) return { ...broken, pointer: `/media_buys/${index}${broken.pointer}` };
    }
    return undefined;
  };
}

function incoherent(buy: unknown, seen: ReadonlyMap<string, unknown>): Broken | undefined {
  const impairments = elements(member(buy, 'impairments'));
  const health = member(buy, 'health') ?? 'ok';
  const expected = impairments.length > 0 ? 'impaired' : 'ok';
  if (health !== expected)
    return {
      message: 'the health of a media buy contradicts its impairments',
      pointer: '/health',
      expected,
      actual: health,
    };
  for (const [index, impairment] of impairments.entries()) {
    const pointer = `/impairments/${index}`;
    const type = asText(member(impairment, 'resource_type'));
    const to = member(member(impairment, 'transition'), 'to');
    const states = Object.hasOwn(OFFLINE, type) ? OFFLINE[type] : undefined;
    if (states === undefined) continue;
    if (!states.has(to))
      return {
        message: `${type} has no such offline state`,
        pointer: `${pointer}/transition/to`,
        expected: [...states],
        actual: to,
      };
    const status = seen.get(`${type} ${member(impairment, 'resource_id')}`);
    if (typeof status === 'string' && !states.has(status))
      return {
        message: `an impairment names a ${type} that is not offline`,
        pointer,
        expected: [...states],
        actual: status,
      };
  }
  return undefined;
}

/** Codes by which a plan is denied. */
const DENIED = /^(GOVERNANCE_DENIED|CAMPAIGN_SUSPENDED|PLAN_DENIED)$/i;
/** Tasks that acquire something for a plan. */
const ACQUIRES = /^(create_media_buy|acquire_rights|activate_signal)$/;

/** `governance.denial_blocks_mutation`: for a plan that was denied nothing is acquired any more. */
function denialBlocks(): Watch {
  const denied = new Set<string>();
  return ({ task, request, answer }) => {
    const plan = request.plan_id ?? (answer.outcome === 'answered' ? answer.data.plan_id : undefined);
    if (typeof plan !== 'string') return undefined;
    if (
      ACQUIRES.test(task) &&
      denied.has(plan) &&
      answer.outcome === 'answered' &&
      codeOf(answer) === undefined
    )
      return {
        message: `${task} was accepted for a plan that had been denied`,
        expected: 'a refusal',
        actual: 'an answer',
      };
    const data = answer.outcome === 'answered' ? answer.data : undefined;
    const said = asText(member(data, 'status') ?? member(data, 'verdict'));
    if ((task === 'check_governance' && said === 'denied') || DENIED.test(codeOf(answer) ?? ''))
      denied.add(plan);
    return undefined;
  };
}

/** What an error may say; anything else could be of the order that has the key. */
const OF_ERRORS: ReadonlySet<string> = new Set(
  'code message field suggestion retry_after recovery source issues details correlation_id request_id'.split(
    ' ',
  ),
);
const AROUND_ERRORS: ReadonlySet<string> = new Set(
  'error errors adcp_error proto_error context ext status message success task_id context_id timestamp replayed operation_id adcp_version proto_version'.split(
    ' ',
  ),
);

const AROUND_ORDERS: ReadonlySet<string> = new Set(['idempotency_key', 'context', 'ext']);

/** `idempotency.conflict_no_payload_leak`: whoever has a stolen key learns nothing of what was ordered with it. */
function conflictTellsNothing({ request, answer }: Exchanged): Broken | undefined {
  if (codeOf(answer) !== 'IDEMPOTENCY_CONFLICT') return undefined;
  const data = answer.outcome === 'failed' ? undefined : answer.data;
  const error = answer.outcome === 'refused' ? answer.error.object : elements(data?.errors)[0];
  const told = [
    ...Object.keys(data ?? {}).filter((name) => !AROUND_ERRORS.has(name) && !OF_ERRORS.has(name)),
    ...Object.keys(isObject(error) ? error : {}).filter((name) => !OF_ERRORS.has(name)),
    ...namesOfOrder(member(error, 'details'), request, 0),
  ];
  if (told.length === 0) return undefined;
  return {
    message: 'the refusal of a used idempotency key reveals the earlier order',
    expected: 'an error without data of the earlier order',
    actual: told.slice(0, 20),
  };
}

const MAX_DEPTH = 8;

/** Members of an order that stand in the details of its refusal, as deep as anybody reads. */
function namesOfOrder(details: unknown, request: JsonObject, depth: number): readonly string[] {
  if (depth > MAX_DEPTH || typeof details !== 'object' || details === null) return [];
  const own = Array.isArray(details)
    ? []
    : Object.keys(details).filter((name) => Object.hasOwn(request, name) && !AROUND_ORDERS.has(name));
  return [...own, ...Object.values(details).flatMap((one) => namesOfOrder(one, request, depth + 1))];
}

/** `context.no_secret_echo`: the run's token was taken out of what came, so its mark shows that it was there. */
function echoesNoSecret({ answer }: Exchanged): Broken | undefined {
  const data = answer.outcome === 'failed' ? undefined : answer.data;
  if (data === undefined || !JSON.stringify(data).includes(HIDDEN)) return undefined;
  return {
    message: 'the answer contains the bearer token of the request',
    expected: 'no secret in the answer',
    actual: HIDDEN,
  };
}
