import type { JsonObject } from '../base/json.ts';

/** An operation object of the OpenAPI document (3.1.0, section 4.8.10). */
export interface Operation extends JsonObject {
  /** Where src/api/tags.ts names it, and what clients and pages call it. */
  readonly operationId: string;
  readonly summary: string;
  readonly responses: JsonObject;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the document says of a route: its operation, or the operation of each path that it answers. */
    readonly openapi?: Operation | { readonly paths: Readonly<Record<string, Operation>> };
  }
}
