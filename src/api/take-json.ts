import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';

type ParseJson = (
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
) => void;

/**
 * The bodies of these routes are JSON. A request without content says nothing by its Content-Type (RFC 9110, 8.3), which many
 * clients always send: it is a request without a body. Who needs one misses it then, and nobody else is asked for it.
 * `parse` takes the bytes; default: JSON, without members that reach for prototypes.
 */
export function takeJson(server: FastifyInstance, parse?: ParseJson): void {
  const usual = server.getDefaultJsonParser('error', 'error');
  const parseJson: ParseJson = parse ?? ((request, body, done) => usual(request, body.toString(), done));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) =>
    body.length === 0 ? done(null, undefined) : parseJson(request, body as Buffer, done),
  );
  server.addContentTypeParser('*', ({ headers }, _content, done) => {
    if (headers['content-length'] === '0') return done(null, undefined);
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers['content-type']));
  });
}
