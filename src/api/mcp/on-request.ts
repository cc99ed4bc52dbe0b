import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type AnySchema, type SchemaOutput, safeParse } from '@modelcontextprotocol/sdk/server/zod-compat.js';
import { ErrorCode, McpError, type ServerResult } from '@modelcontextprotocol/sdk/types.js';

/** The schema of a request, as the SDK has them. */
type RequestSchema = AnySchema & { pick(kept: { readonly method: true }): { loose(): AnySchema } };

/**
 * Answers a method. What its schema does not take is the fault of the caller, which the SDK by itself calls an internal error
 * (JSON-RPC 2.0, section 5.1).
 */
export function onRequest<S extends RequestSchema>(
  server: Server,
  schema: S,
  answer: (request: SchemaOutput<S>) => ServerResult | Promise<ServerResult>,
): void {
  server.setRequestHandler(methodOf(schema), (request) => {
    const read = safeParse(schema, request);
    if (read.success) return answer(read.data as SchemaOutput<S>);
    throw new McpError(ErrorCode.InvalidParams, String(read.error));
  });
}

/** To make a schema takes longer than most answers. */
const MADE = new Map<RequestSchema, AnySchema>();

/** A schema that takes the method with whatever comes along. */
function methodOf(schema: RequestSchema): AnySchema {
  const made = MADE.get(schema) ?? schema.pick({ method: true }).loose();
  MADE.set(schema, made);
  return made;
}
