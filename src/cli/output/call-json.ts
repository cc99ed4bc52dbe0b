import type { AgentError } from '../../calling/agent-error.ts';
import type { TransportFailure } from '../../calling/connection.ts';
import type { Problem } from '../../protocol/problem.ts';
import type { CallReport } from './print-call.ts';
import { stepJson } from './probe-json.ts';

/** A call as schemas/cli/call.json has it. */
export function callJson(report: CallReport) {
  const { url, name, answer, protocol, endpoint, idempotencyKey, issues, steps, findings = [] } = report;
  return {
    url,
    task: name,
    outcome: answer.outcome,
    protocol: protocol ?? null,
    ...(endpoint !== undefined && { endpoint }),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(answer.status !== undefined && { http_status: answer.status }),
    duration_ms: answer.durationMs,
    ...(answer.outcome === 'answered' && { data: answer.data }),
    ...(answer.outcome === 'refused' && errorJson(answer.error)),
    ...(answer.outcome === 'failed' && {
      failure: failureJson(answer.failure),
    }),
    issues,
    ...(findings.length > 0 && { findings }),
    steps: steps.map(stepJson),
  };
}

/** A request that was not sent, by the same schema. */
export function unsentJson(url: string, task: string, error: Problem) {
  return { url, task, outcome: 'not_sent', protocol: null, error, issues: [], steps: [] };
}

/** The object as it came; where it lacks a message, the words that came beside it. */
function errorJson({ object, message, rpcCode }: AgentError) {
  return {
    error: { ...object, message },
    ...(rpcCode !== undefined && { rpc_code: rpcCode }),
  };
}

function failureJson({ errorClass, message, challenge }: TransportFailure) {
  return { error_class: errorClass, message, ...(challenge !== undefined && { challenge }) };
}
