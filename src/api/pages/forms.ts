import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problem.ts';

/** The values of each field of a form: texts, or the bytes of files. One value, unless the field may be repeated. */
export type FormFields = ReadonlyMap<string, readonly (string | Uint8Array)[]>;

export interface FormRules {
  /** The largest form, bytes; absent: the bound of each route. */
  readonly maxBytes?: number;
  /** Fields that may have several values; any other is refused when it comes twice. */
  readonly repeated?: readonly string[];
}

const MULTIPART = 'multipart/form-data';
const FORMS = ['application/x-www-form-urlencoded', MULTIPART];
/** More fields than any form of ours has. */
const MAX_FIELDS = 50;

/**
 * Lets the routes of `server` take what browsers send from a form, up to the bound of each route, which is asked of
 * Content-Length first. A form on a page of somebody else is refused: browsers say where a form stands (Fetch Metadata).
 */
export function takeForms(server: FastifyInstance, { maxBytes, repeated = [] }: FormRules = {}): void {
  server.removeAllContentTypeParsers();
  const asBytes = { parseAs: 'buffer', ...(maxBytes !== undefined && { bodyLimit: maxBytes }) } as const;
  server.addContentTypeParser(FORMS, asBytes, async (request: FastifyRequest, body: Buffer) =>
    readForm(String(request.headers['content-type']), new Uint8Array(body), repeated),
  );
  server.addHook('onRequest', async ({ method, headers }) => {
    if (method === 'POST' && headers['sec-fetch-site'] === 'cross-site')
      throw new HttpProblem('bad_request', 'this form stands on a page of another site; open the page here');
  });
  server.addHook('preHandler', async (request) => {
    if (request.method === 'POST') requireForm(request);
  });
}

/** Throws an HttpProblem for a request without a body, of which no parser ever heard. */
function requireForm({ body }: FastifyRequest): void {
  if (body == null) throw new HttpProblem('bad_request', 'the form is empty; send it as a browser does');
}

/** Throws HttpProblems. */
async function readForm(
  contentType: string,
  body: Uint8Array<ArrayBuffer>,
  repeated: readonly string[],
): Promise<FormFields> {
  if (hasManyFields(contentType, body))
    throw new HttpProblem('too_many_values', 'the form has too many fields');
  const form = await new Response(body, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);
  if (form === undefined)
    throw new HttpProblem('bad_request', 'the form cannot be read; send it as a browser does');
  const fields = new Map<string, (string | Uint8Array)[]>();
  for (const [name, value] of form) {
    const before = fields.get(name) ?? [];
    if (before.length > 0 && !repeated.includes(name))
      throw new HttpProblem('repeated_parameter', 'this field can be given once', {
        parameter: name.slice(0, 100),
      });
    fields.set(name, [...before, typeof value === 'string' ? value : await value.bytes()]);
  }
  return fields;
}

/** By what each field has to have: a parser makes objects of all fields, before anybody could count those. */
function hasManyFields(contentType: string, body: Uint8Array<ArrayBuffer>): boolean {
  const mark = contentType.trimStart().toLowerCase().startsWith(MULTIPART) ? 'content-disposition' : '&';
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1').toLowerCase();
  return text.split(mark, MAX_FIELDS + 2).length > MAX_FIELDS + 1;
}

/** The text of a field, '' where there is none. */
export function textField(fields: FormFields, name: string): string {
  return textsOfField(fields, name)[0] ?? '';
}

/** The texts of a field that may be repeated, as they came. */
export function textsOfField(fields: FormFields, name: string): readonly string[] {
  return (fields.get(name) ?? []).map((value) =>
    typeof value === 'string' ? value : new TextDecoder().decode(value),
  );
}
