import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Where it leads, below the root. */
  readonly location: string | null;
}

export interface Browser {
  readonly origin: string;
  /** Its cookie, as a request to the path of the cookie sends it. */
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a form as a page of the registry would. */
  post(
    path: string,
    fields: Record<string, string> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Sends the first form of a page with this action, with what it has and these fields. */
  submit(page: string, action: string, fields?: Record<string, string>): Promise<Answer>;
}

/** A browser without script, over real HTTP: it keeps cookies where their path says, and follows nothing by itself. */
export async function openBrowser(server: FastifyInstance): Promise<Browser> {
  const origin = await listening(server);
  let cookiePath = '/my';
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const isOwn = cookiePath === '/' || `${path.split('?', 1)[0]}/`.startsWith(`${cookiePath}/`);
    const cookie: Record<string, string> = isOwn && browser.cookie !== '' ? { cookie: browser.cookie } : {};
    const answer = await fetch(`${origin}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html', ...cookie, ...(init.headers as Record<string, string>) },
    });
    const set = answer.headers.get('set-cookie');
    if (set !== null) browser.cookie = set.includes('Max-Age=0') ? '' : (set.split(';', 1)[0] ?? '');
    cookiePath = /; Path=([^;]+)/.exec(set ?? '')?.[1] ?? cookiePath;
    const { status, headers } = answer;
    return { status, headers, body: await answer.text(), location: headers.get('location') };
  };
  const browser: Browser = {
    ...{ origin, cookie: '' },
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = { origin }) =>
      ask(path, { method: 'POST', headers, body: new URLSearchParams(fields) }),
    submit: (page, action, fields = {}) => browser.post(action, { ...fieldsOf(page, action), ...fields }),
  };
  return browser;
}

/** The hidden fields of the first form with this action. */
export function fieldsOf(page: string, action: string): Record<string, string> {
  const [, form = ''] = page.split(`action="${action}"`, 2);
  const fields = form.split('</form>', 1)[0] ?? '';
  return Object.fromEntries(
    [...fields.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
}

async function listening(server: FastifyInstance): Promise<string> {
  const known = server.server.address();
  if (known !== null && typeof known === 'object') return `http://127.0.0.1:${known.port}`;
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return origin;
}
