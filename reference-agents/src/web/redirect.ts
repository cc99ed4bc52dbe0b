import type { PageHandler } from './web.ts';

/** A page that sends its visitor elsewhere. */
export function redirect(location: string, status = 301): PageHandler {
  return (_request, response) => void response.writeHead(status, { location }).end();
}
