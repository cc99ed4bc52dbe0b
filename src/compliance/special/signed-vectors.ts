import { asText, elements, isObject, type JsonObject, member, parseObject } from '../../base/json.ts';
import { isMutating } from '../../protocol/tasks.ts';
import { offers } from '../conversation/consent.ts';
import type { CheckResult, Skip } from '../step-result.ts';
import type { SignatureVector, SignedVector } from '../storyboard.ts';

interface Verifier {
  readonly protocol: string;
  readonly tools: ReadonlySet<string>;
  readonly capabilities: JsonObject;
}

/** Tried in this order where the agent does not have the vector's own task. */
const TASKS = ['create_media_buy', 'update_media_buy', 'activate_signal', 'acquire_rights', 'sync_creatives'];

/** What of a vector is sent to this agent, or why it says nothing of it. */
export function vectorFor(vector: SignatureVector, agent: Verifier): SignedVector | Skip {
  const { document } = vector;
  if (agent.protocol !== 'mcp') return notHere('signature vectors are sent over MCP only');
  const url = URL.parse(String(member(document.request, 'url')));
  if (document.jwks_override !== undefined)
    return notHere('the vector needs keys that only the verifier can hold');
  if (
    url === null ||
    url.hostname.startsWith('[') ||
    /[^\x20-\x7e]/.test(String(member(document.request, 'url')))
  )
    return notHere('the vector is for another host');
  if (url.pathname.includes('%')) return notHere('the vector is for another path');
  if (document.requires_contract === 'rate_abuse')
    return notHere('the vector needs more requests per minute than a run may send');
  const policy = asText(member(agent.capabilities.request_signing, 'covers_content_digest') ?? 'either');
  const wanted = String(member(document.verifier_capability, 'covers_content_digest') ?? 'either');
  const covers = /"content-digest"/.test(vectorHeaders(document).get('signature-input') ?? '');
  const isAboutPolicy = (wanted === 'required' && !covers) || (wanted === 'forbidden' && covers);
  if (isAboutPolicy ? policy !== wanted : policy === 'forbidden' && covers)
    return notHere(`the vector is for agents whose covers_content_digest is ${wanted}`);
  const body = parseObject(String(member(document.request, 'body') ?? '')) ?? {};
  if (body.jsonrpc !== undefined)
    return notHere('the vector is for a method of the protocol, not for a task');
  const own = url.pathname.split('/').at(-1) ?? '';
  const required = elements(member(agent.capabilities.request_signing, 'required_for')).map(asText);
  const mustBeRequired =
    vectorCode(document) === 'request_signature_required' &&
    elements(member(document.verifier_capability, 'required_for')).length > 0;
  const fits = (task: string) => offers(agent.tools, task) && (!mustBeRequired || required.includes(task));
  const task = [own, ...TASKS].find((one) => isMutating(one) && fits(one));
  if (task === undefined)
    return notHere(
      mustBeRequired ? 'the agent requires no signature for this task' : 'the agent does not offer this task',
    );
  return { task, arguments: body, document: vector, twice: document.requires_contract === 'replay_window' };
}

/** Whether the agent let it in, or refused it with the code that the vector names, in `WWW-Authenticate` of a 401. */
export function judgeVector(
  { document }: SignatureVector,
  { status, challenge = '' }: { readonly status?: number; readonly challenge?: string },
): CheckResult {
  const wanted = vectorCode(document);
  const code = /\berror="([\w-]{1,80})"/.exec(challenge)?.[1];
  const came = status === undefined ? 'no HTTP response' : `${status}${code === undefined ? '' : ` ${code}`}`;
  if (member(document.expected_outcome, 'success') === true)
    return status !== undefined && (status < 400 || status >= 500)
      ? { check: 'signature_accepted', result: 'pass', message: `request accepted (${status})` }
      : {
          check: 'signature_accepted',
          result: 'fail',
          message: 'a valid signature was refused',
          expected: 'no 4xx',
          actual: came,
        };
  if (status === 401 && code === wanted)
    return { check: 'signature_refused', result: 'pass', message: `refused with ${wanted}` };
  const message = status === 401 ? 'refused with an unexpected code' : 'not refused because of the signature';
  return { check: 'signature_refused', result: 'fail', message, expected: `401 ${wanted}`, actual: came };
}

export function vectorCode(document: JsonObject): string {
  return String(member(document.expected_outcome, 'error_code'));
}

export function vectorHeaders(document: JsonObject): ReadonlyMap<string, string> {
  const headers = member(document.request, 'headers');
  return new Map(
    Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  );
}

function notHere(detail: string): Skip {
  return { reason: 'not_applicable', detail, coverage_gap: false };
}
