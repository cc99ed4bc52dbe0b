import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type AnySchema, type SchemaOutput, safeParse } from '@modelcontextprotocol/sdk/server/zod-compat.js';
import { ErrorCode, McpError, type ServerResult } from '@modelcontextprotocol/sdk/types.js';

/** The schema of a request, as the SDK has them. */
type RequestSchema = AnySchema & { pick(kept: { readonly method: true }): { loose(): AnySchema } };

/**
 * Handles a method. A request that its schema does not accept is answered with "Invalid params"; the SDK by itself would answer
 * with an internal error (JSON-RPC 2.0, section 5.1).
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

/** To create a schema takes longer than most answers. */
const MADE = new Map<RequestSchema, AnySchema>();

/** A schema that accepts the method with any parameters. */
function methodOf(schema: RequestSchema): AnySchema {
  const made = MADE.get(schema) ?? schema.pick({ method: true }).loose();
  MADE.set(schema, made);
  return made;
}
