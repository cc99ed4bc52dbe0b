import { asText, elements, member } from '../base/json.ts';
import type { AgentError } from '../calling/agent-error.ts';
import type { TaskAnswer } from '../calling/connection.ts';
import { inFull } from '../calling/failure.ts';
import type { LabCheck } from '../domain/lab-report.ts';
import { ERROR_TEXTS } from '../domain/observation.ts';
import { checkResponse } from '../protocol/read-request.ts';
import { taskNamed } from '../protocol/tasks.ts';
import { CAPABILITIES_TASKS, VOCABULARIES, VOCABULARY_NAMES } from '../protocol/vocabulary.ts';
import type { SeenOver } from './exam.ts';

/** The keys that an agent signs with. */
export type SeenKeys =
  | { readonly reason: string }
  /** They were not looked up, or not completely; one sentence. */
  | { readonly unseen: string }
  | { readonly kinds: readonly string[]; readonly faults: readonly string[] };

/** The result of one check. */
export type Judged = Pick<LabCheck, 'result' | 'reason' | 'hint'>;

const CAPABILITIES = 'get_proto_capabilities';
const MISSING_CAPABILITIES = `missing tool: ${CAPABILITIES_TASKS.join(' or ')}`;

export function judgeHttps(url: string): Judged {
  return new URL(url).protocol === 'https:'
    ? { result: 'passed', reason: 'the URL uses HTTPS' }
    : { result: 'failed', reason: 'the URL uses plain HTTP', hint: 'serve the agent over HTTPS' };
}

export function judgeHandshake(seen: readonly SeenOver[]): Judged {
  const words = seen.map(({ protocol, failure }) =>
    failure === undefined
      ? `${protocol.toUpperCase()} answers`
      : `${protocol.toUpperCase()}: ${ERROR_TEXTS[failure.errorClass]} (${failure.message})`,
  );
  const reason = words.join('; ');
  if (seen.some(({ failure }) => failure === undefined)) return { result: 'passed', reason };
  const wantsCredentials = seen.some(({ failure }) => failure?.errorClass === 'auth_required');
  if (wantsCredentials)
    return {
      ...{ result: 'partly', reason },
      hint: 'allow the handshake and the capabilities task without credentials',
    };
  return { result: 'failed', reason, hint: 'check that this is the URL that clients connect to' };
}

export function judgeTools({ tools = [], findings }: SeenOver): Judged {
  if ('message' in tools)
    return { result: 'failed', reason: `the tool list could not be read: ${tools.message}` };
  const known = tools.filter(({ name }) => taskNamed(name) !== undefined).length;
  if (known === 0)
    return {
      result: 'failed',
      reason:
        tools.length === 0 ? 'the agent lists no tools' : `none of ${tools.length} tools is a protocol task`,
      hint: 'use the task names of the protocol, for example get_products',
    };
  const faults = findings.filter(({ code }) => code.startsWith('tool_'));
  const reason = `${known} of ${tools.length} tools are protocol tasks`;
  if (faults[0] === undefined) return { result: 'passed', reason };
  return { result: 'partly', reason: `${reason}; ${faults[0].message}` };
}

/** An agent lists neither name of the capabilities task, and answers to none. */
function lacksCapabilities({ tools, capabilities }: SeenOver): boolean {
  if (tools === undefined || 'message' in tools || capabilities?.outcome === 'answered') return false;
  return !tools.some(({ name }) => CAPABILITIES_TASKS.includes(name));
}

export function judgeCapabilities(seen: SeenOver): Judged {
  const { capabilities, capabilitiesTask = CAPABILITIES } = seen;
  if (capabilities?.outcome === 'answered')
    return { result: 'passed', reason: `${capabilitiesTask} answered in ${capabilities.durationMs} ms` };
  if (capabilities?.outcome === 'failed' && capabilities.failure.errorClass === 'auth_required')
    return {
      result: 'partly',
      reason: `${capabilitiesTask} requires credentials`,
      hint: 'answer it without credentials: clients call it before they have any',
    };
  if (lacksCapabilities(seen))
    return {
      result: 'failed',
      reason: MISSING_CAPABILITIES,
      hint: 'add one of the two tools; without it, protocol and specialism tests are skipped, and the agent has no metrics and no badge',
    };
  return {
    result: 'failed',
    reason: `${capabilitiesTask} failed: ${failureText(capabilities)}`,
    hint: 'answer it for every caller: clients call it first',
  };
}

export function judgeSchema(seen: SeenOver): Judged {
  const { capabilities, capabilitiesTask = CAPABILITIES } = seen;
  if (capabilities?.outcome !== 'answered')
    return { result: 'skipped', reason: 'not tested: the agent returned no capabilities' };
  const issues = checkResponse(CAPABILITIES, capabilities.data);
  const [first] = issues;
  const names = VOCABULARIES.map((one) => VOCABULARY_NAMES[one].section);
  const section = names.map((name) => member(capabilities.data, name)).find((one) => one !== undefined);
  const versions = elements(member(section, 'supported_versions')).length;
  if (first === undefined)
    return {
      result: 'passed',
      reason: `the capabilities match the schema${versions === 0 ? '' : ' and list the supported versions'}`,
    };
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  const reason = `${first.pointer || 'the answer'} ${first.message}${more}`;
  return {
    result: issues.length > 5 ? 'failed' : 'partly',
    reason,
    hint: `compare the answer with the schema of ${capabilitiesTask}`,
  };
}

export function judgeUnknownTask({ toNoTask }: SeenOver): Judged {
  const hint = 'answer with a protocol error or a JSON-RPC error';
  if (toNoTask === undefined) return NOT_TESTED;
  if (toNoTask.outcome === 'answered')
    return { result: 'failed', reason: 'the agent answered a task that does not exist', hint };
  if (toNoTask.outcome === 'failed') return { result: 'failed', reason: failureText(toNoTask), hint };
  const shown = shownCode(toNoTask.error);
  return shown === undefined
    ? { result: 'partly', reason: withoutCode(toNoTask.error), hint }
    : { result: 'passed', reason: `rejected with ${shown}` };
}

/** The error must say where the request is wrong, too. */
export function judgeWrongRequest(seen: SeenOver): Judged {
  const { toWrongType: answer } = seen;
  const hint = 'answer with {code: "INVALID_REQUEST", message, recovery: "correctable", pointer}';
  // every agent rejects a call of a tool that it does not have
  if (lacksCapabilities(seen)) return { result: 'skipped', reason: `not tested: ${MISSING_CAPABILITIES}` };
  if (answer === undefined) return NOT_TESTED;
  if (answer.outcome === 'answered')
    return { result: 'failed', reason: 'the agent accepted an invalid request', hint };
  if (answer.outcome === 'failed') return { result: 'failed', reason: failureText(answer), hint };
  const shown = shownCode(answer.error);
  if (shown === undefined) return { result: 'partly', reason: withoutCode(answer.error), hint };
  if (isUnknownTask(answer.error))
    return {
      result: 'failed',
      reason: `rejected as an unknown task (${shown}), although it is listed`,
      hint,
    };
  const { code, message, recovery, pointer } = answer.error;
  const missing = Object.entries({ code, message, recovery, pointer })
    // an empty text says nothing, and an empty pointer names no place
    .filter(([, value]) => !value)
    .map(([name]) => name);
  return missing.length === 0
    ? { result: 'passed', reason: `rejected with ${shown} at ${pointer}` }
    : { result: 'partly', reason: `rejected with ${shown}, without ${missing.join(', ')}`, hint };
}

const NOT_TESTED: Judged = { result: 'skipped', reason: 'not tested: the agent requires credentials' };

const METHOD_NOT_FOUND = -32_601;
const UNKNOWN_TASK = /^(?:unknown_(?:task|tool)|(?:task|tool|method)_not_found)$/i;

function isUnknownTask({ code = '', rpcCode }: AgentError): boolean {
  return rpcCode === METHOD_NOT_FOUND || UNKNOWN_TASK.test(code);
}

/** Undefined for an error without a code. */
function shownCode({ code, rpcCode }: AgentError): string | undefined {
  return code || (rpcCode === undefined ? undefined : `JSON-RPC ${rpcCode}`);
}

function withoutCode({ message }: AgentError): string {
  return `rejected without an error code: ${message || 'no message'}`;
}

export function judgeCard(seen: readonly SeenOver[]): Judged {
  const a2a = seen.find(({ protocol }) => protocol === 'a2a');
  if (a2a === undefined || a2a.failure !== undefined)
    return { result: 'skipped', reason: 'no agent card; agents that speak only MCP do not need one' };
  const fault = a2a.findings.find(({ code }) => code.startsWith('card_'));
  if (fault !== undefined)
    return {
      result: 'partly',
      reason: fault.message,
      hint: 'set url in the card to an HTTPS URL on the origin of the agent',
    };
  return {
    result: 'passed',
    reason: a2a.name === undefined ? 'the card is usable' : `the card is usable; its name is ${a2a.name}`,
  };
}

export function judgeAgreement(answering: readonly SeenOver[]): Judged {
  const declared = answering.flatMap(({ capabilities }) =>
    capabilities?.outcome === 'answered' ? [capabilities.data] : [],
  );
  const [one, other] = declared.map((data) =>
    elements(member(data, 'supported_protocols')).map(asText).toSorted().join(', '),
  );
  if (answering.length < 2)
    return {
      result: 'skipped',
      reason:
        answering.length === 1
          ? 'the agent answers over one protocol only'
          : 'the agent answers over neither protocol',
    };
  if (one === undefined || other === undefined)
    return { result: 'skipped', reason: 'not tested: no capabilities over one of the protocols' };
  return one === other
    ? { result: 'passed', reason: 'supported_protocols is the same over both' }
    : {
        result: 'failed',
        reason: `supported_protocols differs: MCP ${one || 'none'}; A2A ${other || 'none'}`,
        hint: 'generate both answers from the same source',
      };
}

export function judgeKeys(keys: SeenKeys): Judged {
  const hint = 'list the agent in the brand.json of its domain, with the jwks_uri of its public keys';
  if ('unseen' in keys) return { result: 'skipped', reason: keys.unseen };
  if ('reason' in keys) return { result: 'failed', reason: keys.reason, hint };
  const reason = `found keys for ${keys.kinds.join(', ')}`;
  if (keys.kinds.length === 0)
    return { result: 'failed', reason: keys.faults[0] ?? 'the key set is empty', hint };
  return keys.faults[0] === undefined
    ? { result: 'passed', reason }
    : { result: 'partly', reason: `${reason}; another key is unusable: ${keys.faults[0]}`, hint };
}

function failureText(answer: TaskAnswer | undefined): string {
  if (answer?.outcome === 'failed') return inFull(answer.failure);
  if (answer?.outcome === 'refused') return answer.error.message || answer.error.code || 'rejected';
  return 'no answer';
}
