import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problem.ts';

/** A field of a form: a text, or the bytes of a file. */
export type FormFields = ReadonlyMap<string, string | Uint8Array>;

const MULTIPART = 'multipart/form-data';
const FORMS = ['application/x-www-form-urlencoded', MULTIPART];
/** More fields than any form of ours has. */
const MAX_FIELDS = 50;

/**
 * Lets the routes of `server` take what browsers send from a form, up to the bound of each route, which is asked of
 * Content-Length first. A form on a page of somebody else is refused: browsers say where a form stands (Fetch Metadata).
 */
export function takeForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORMS, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    readForm(String(request.headers['content-type']), new Uint8Array(body)),
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
export function requireForm({ body }: FastifyRequest): void {
  if (body == null) throw new HttpProblem('bad_request', 'the form is empty; send it as a browser does');
}

/** Each field once. Throws HttpProblems. */
async function readForm(contentType: string, body: Uint8Array<ArrayBuffer>): Promise<FormFields> {
  if (hasManyFields(contentType, body))
    throw new HttpProblem('too_many_values', 'the form has too many fields');
  const form = await new Response(body, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);
  if (form === undefined)
    throw new HttpProblem('bad_request', 'the form cannot be read; send it as a browser does');
  const fields = new Map<string, string | Uint8Array>();
  for (const [name, value] of form) {
    if (fields.has(name))
      throw new HttpProblem('repeated_parameter', 'this field can be given once', {
        parameter: name.slice(0, 100),
      });
    fields.set(name, typeof value === 'string' ? value : await value.bytes());
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
  const value = fields.get(name);
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}
