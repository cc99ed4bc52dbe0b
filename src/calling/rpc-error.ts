import { isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import { type AgentError, agentErrorOf } from './agent-error.ts';

/**
 * The JSON-RPC error in the bytes of an answer, plain or as events, with the protocol's own error where its `data`
 * holds one. Read from the bytes, as the SDKs keep only parts of it; undefined when there is none.
 */
export function rpcErrorIn(raw: string): AgentError | undefined {
  for (const envelope of envelopesIn(raw)) {
    const error = member(envelope, 'error');
    const code = member(error, 'code');
    if (isObject(error) && typeof code === 'number' && isRpc(envelope, code)) return read(error, code);
  }
  return undefined;
}

/** Others have an `error` with a number too: those of HTTP+JSON repeat the status. */
function isRpc(envelope: JsonObject, code: number): boolean {
  return member(envelope, 'jsonrpc') === '2.0' || code <= -32_000;
}

function read(error: JsonObject, rpcCode: number): AgentError {
  const data = member(error, 'data');
  const told = member(error, 'message');
  const message = typeof told === 'string' ? told : '';
  const own = isObject(data) ? agentErrorOf(data, message, rpcCode) : undefined;
  return own?.code === undefined ? agentErrorOf(error, message, rpcCode) : own;
}

/** One JSON text, or the data of server-sent events (WHATWG HTML, 9.2.6: lines of one event are joined). */
function envelopesIn(raw: string): readonly JsonObject[] {
  const whole = parseObject(raw);
  if (whole !== undefined) return [whole];
  return raw.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const envelope = parseObject(lines.map((line) => line.slice(5)).join('\n'));
    return envelope === undefined ? [] : [envelope];
  });
}
