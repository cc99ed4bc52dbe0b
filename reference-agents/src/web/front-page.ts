import { directUrl } from './direct.ts';
import type { PageHandler } from './web.ts';

interface Listed {
  readonly declaredUrl: string;
  readonly name: string;
  readonly type: string;
  readonly protocol?: string;
}

/** What the listener itself says: its agents, and under which addresses any client on this machine reaches them. */
export function frontPage(origin: string, agents: readonly Listed[]): PageHandler {
  const lines = agents.map(
    ({ declaredUrl, name, type, protocol = '' }) =>
      `${type.padEnd(12)} ${protocol.padEnd(4)} ${directUrl(origin, declaredUrl)}  ${name}`,
  );
  const text = [
    'A small advertising web. Its hosts end in .example; on this machine they are reached under a path:',
    `${origin}/@HOST/PATH, as in ${directUrl(origin, 'https://noticeboard.example/.well-known/adagents.json')}`,
    '',
    ...lines,
    '',
  ].join('\n');
  return (request, response) => {
    const status = request.url === '/' ? 200 : 404;
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(status === 200 ? text : `not found; ${origin}/ lists the agents and how they are reached\n`);
  };
}
