import { asText, elements, member } from '../base/json.ts';
import type { TaskAnswer } from '../calling/connection.ts';
import { inFull } from '../calling/failure.ts';
import type { LabCheck } from '../domain/lab-report.ts';
import { ERROR_TEXTS } from '../domain/observation.ts';
import { checkResponse } from '../protocol/read-request.ts';
import { taskNamed } from '../protocol/tasks.ts';
import { VOCABULARIES, VOCABULARY_NAMES } from '../protocol/vocabulary.ts';
import type { SeenOver } from './exam.ts';

/** What was found of the keys that an agent signs with. */
export type SeenKeys =
  | { readonly reason: string }
  /** They were not looked for, or not to the end; one sentence. */
  | { readonly unseen: string }
  | { readonly kinds: readonly string[]; readonly faults: readonly string[] };

/** What is thought of one thing that was looked at; the grade counts it. */
export type Judged = Pick<LabCheck, 'result' | 'reason' | 'hint'>;

const CAPABILITIES = 'get_proto_capabilities';

export function judgeHttps(url: string): Judged {
  return new URL(url).protocol === 'https:'
    ? { result: 'passed', reason: 'nobody on the way can read or change what is said' }
    : {
        result: 'failed',
        reason: 'it is plain http',
        hint: 'serve it over https; no credential is ever sent over http',
      };
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
    return { result: 'partly', reason, hint: 'let anybody shake hands and ask for the capabilities' };
  return { result: 'failed', reason, hint: 'check the address: it is the one that a client would be given' };
}

export function judgeTools({ tools = [], findings }: SeenOver): Judged {
  if ('message' in tools) return { result: 'failed', reason: `the list cannot be read: ${tools.message}` };
  const known = tools.filter(({ name }) => taskNamed(name) !== undefined).length;
  if (known === 0)
    return {
      result: 'failed',
      reason: `of ${tools.length} tasks none has a name of the protocol`,
      hint: 'name tasks as the protocol does, such as get_products',
    };
  const faults = findings.filter(({ code }) => code.startsWith('tool_'));
  const reason = `${known} of ${tools.length} tasks are of the protocol`;
  if (faults[0] === undefined) return { result: 'passed', reason };
  return { result: 'partly', reason: `${reason}; ${faults[0].message}` };
}

export function judgeCapabilities({ capabilities }: SeenOver): Judged {
  if (capabilities?.outcome === 'answered')
    return { result: 'passed', reason: `${CAPABILITIES} answers in ${capabilities.durationMs} ms` };
  const why = failureText(capabilities);
  const wantsCredentials =
    capabilities?.outcome === 'failed' && capabilities.failure.errorClass === 'auth_required';
  return {
    result: wantsCredentials ? 'partly' : 'failed',
    reason: `${CAPABILITIES} does not answer: ${why}`,
    hint: 'answer it for everybody: clients ask for it first',
  };
}

export function judgeSchema({ capabilities }: SeenOver): Judged {
  if (capabilities?.outcome !== 'answered')
    return { result: 'skipped', reason: 'there is no answer to hold against the schema' };
  const issues = checkResponse(CAPABILITIES, capabilities.data);
  const [first] = issues;
  const names = VOCABULARIES.map((one) => VOCABULARY_NAMES[one].section);
  const section = names.map((name) => member(capabilities.data, name)).find((one) => one !== undefined);
  const versions = elements(member(section, 'supported_versions')).length;
  if (first === undefined)
    return {
      result: 'passed',
      reason: versions === 0 ? 'it follows its schema' : 'it follows its schema and names its versions',
    };
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  const reason = `${first.pointer || 'the answer'} ${first.message}${more}`;
  return {
    result: issues.length > 5 ? 'failed' : 'partly',
    reason,
    hint: 'compare the answer with its schema',
  };
}

/** With `withPlace`, the error has to say where the request is wrong, too. */
export function judgeRefusal(answer: TaskAnswer | undefined, withPlace: boolean): Judged {
  if (answer === undefined) return { result: 'skipped', reason: 'it was not asked' };
  const hint = withPlace
    ? 'answer with {code: "INVALID_REQUEST", message, recovery: "correctable", pointer}'
    : 'answer with an error of the protocol or of JSON-RPC';
  if (answer.outcome === 'answered')
    return { result: 'failed', reason: 'it was answered as if it were right', hint };
  if (answer.outcome === 'failed') return { result: 'failed', reason: failureText(answer), hint };
  const { message, recovery, pointer, rpcCode } = answer.error;
  // an empty one is none
  const code = answer.error.code || undefined;
  if (code === undefined && rpcCode === undefined)
    return { result: 'partly', reason: `it is refused without a code: ${message || 'not a word'}`, hint };
  const shown = code ?? `JSON-RPC ${rpcCode}`;
  if (!withPlace) return { result: 'passed', reason: `it is refused with ${shown}` };
  const missing = Object.entries({ code, message: message || undefined, recovery, pointer })
    .filter(([, value]) => value === undefined)
    .map(([name]) => name);
  return missing.length === 0
    ? { result: 'passed', reason: `it is refused with ${shown} at ${pointer}` }
    : { result: 'partly', reason: `it is refused with ${shown}, without ${missing.join(', ')}`, hint };
}

export function judgeCard(seen: readonly SeenOver[]): Judged {
  const a2a = seen.find(({ protocol }) => protocol === 'a2a');
  if (a2a === undefined || a2a.failure !== undefined)
    return { result: 'skipped', reason: 'it has no agent card, which MCP does not ask for' };
  const fault = a2a.findings.find(({ code }) => code.startsWith('card_'));
  if (fault !== undefined)
    return {
      result: 'partly',
      reason: fault.message,
      hint: 'give an https address on the origin of the agent',
    };
  return {
    result: 'passed',
    reason: a2a.name === undefined ? 'it can be used' : `it can be used, and calls itself ${a2a.name}`,
  };
}

export function judgeAgreement(answering: readonly SeenOver[]): Judged {
  const told = answering.flatMap(({ capabilities }) =>
    capabilities?.outcome === 'answered' ? [capabilities.data] : [],
  );
  const [one, other] = told.map((data) =>
    elements(member(data, 'supported_protocols')).map(asText).toSorted().join(', '),
  );
  if (answering.length < 2)
    return {
      result: 'skipped',
      reason: answering.length === 1 ? 'it answers over one protocol' : 'it answers over neither',
    };
  if (one === undefined || other === undefined)
    return { result: 'skipped', reason: 'it does not say over both what it can do' };
  return one === other
    ? { result: 'passed', reason: 'it names the same protocols over both' }
    : {
        result: 'failed',
        reason: `over MCP it names ${one || 'none'}; over A2A ${other || 'none'}`,
        hint: 'make both from one source',
      };
}

export function judgeKeys(keys: SeenKeys): Judged {
  const hint =
    'name the agent in the brand.json of its domain, with a jwks_uri of public keys for signatures';
  if ('unseen' in keys) return { result: 'skipped', reason: keys.unseen };
  if ('reason' in keys) return { result: 'failed', reason: keys.reason, hint };
  const reason = `its keys are for ${keys.kinds.join(', ')}`;
  if (keys.kinds.length === 0)
    return { result: 'failed', reason: keys.faults[0] ?? 'its key set is empty', hint };
  return keys.faults[0] === undefined
    ? { result: 'passed', reason }
    : { result: 'partly', reason: `${reason}; but of one ${keys.faults[0]}`, hint };
}

function failureText(answer: TaskAnswer | undefined): string {
  if (answer?.outcome === 'failed') return inFull(answer.failure);
  if (answer?.outcome === 'refused') return answer.error.message || answer.error.code || 'it is refused';
  return 'nothing came';
}
