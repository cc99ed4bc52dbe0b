import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject, type TaskName } from '@agent-registry/surface/agent-kit';
import { type Admit, createAdmission, namesTask } from '../agents/admission.ts';
import type { AgentSpec } from '../agents/agent.ts';
import type { AgentFault } from './fault.ts';

type RawAnswer = (response: ServerResponse) => void;

export const SERVER_ERROR: RawAnswer = (response) => {
  response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>');
};

export const HALF_A_DOCUMENT: RawAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"jsonrpc":"2.0","result":{"content":[{"type":');
};

export const TO_PRIVATE_ADDRESS: RawAnswer = (response) => {
  response.writeHead(307, { location: 'http://10.0.0.1/mcp' }).end();
};

/** In the place of the answer to some calls of a task there is this, which no protocol knows. */
export function insteadOf(
  task: TaskName,
  which: (request: JsonObject) => boolean,
  answer: RawAnswer,
): AgentFault {
  return {
    admit: (spec, callers) => {
      const admit = createAdmission(spec, callers);
      return async (request, response) => {
        const admitted = await admit(request, response);
        if (admitted === undefined) return undefined;
        if (!namesTask(admitted.body, task) || !which(requestIn(admitted.body))) return admitted;
        answer(response);
        return undefined;
      };
    },
  };
}

/** The arguments of a call over MCP, which is what broken agents speak. */
function requestIn(body: unknown): JsonObject {
  const params = isObject(body) && isObject(body.params) ? body.params : {};
  return isObject(params.arguments) ? params.arguments : {};
}

/** Signatures are judged where there are any, and asked for nowhere. */
export const UNSIGNED_ACCEPTED: AgentFault = {
  admit: (spec, callers) => passing(createAdmission(unsigned(spec), callers)),
};

/** Signatures are asked for, and any will do. */
export const ACCEPTS_ANY_SIGNATURE: AgentFault = {
  admit: (spec, callers) => {
    const admit = passing(createAdmission(unsigned(spec), callers));
    return async (request, response) => {
      const claimed = request.headers.signature !== undefined;
      delete request.headers.signature;
      delete request.headers['signature-input'];
      request.rawHeaders.splice(0, Number.POSITIVE_INFINITY, ...withoutSignature(request.rawHeaders));
      const admitted = await admit(request, response);
      if (admitted === undefined) return undefined;
      if (claimed || spec.signed?.some((task) => namesTask(admitted.body, task)) !== true) return admitted;
      response.writeHead(401, { 'www-authenticate': 'Signature error="request_signature_required"' }).end();
      return undefined;
    };
  },
};

function unsigned({ signed: _signed, ...spec }: AgentSpec): AgentSpec {
  return spec;
}

/** Whoever was let in counts as somebody who signed. */
function passing(admit: Admit): Admit {
  return async (request, response) => {
    const admitted = await admit(request, response);
    return admitted && { ...admitted, caller: { ...admitted.caller, signed: true } };
  };
}

/** Names and values by turns, as Node keeps them. */
function withoutSignature(raw: readonly string[]): readonly string[] {
  return raw.filter((_, at) => !/^signature(-input)?$/i.test(raw[at - (at % 2)] ?? ''));
}
