import type { Fetcher, GuardedFetch } from '../../src/ports/fetcher.ts';

/** What a run did with an agent, one thing after the other, as a client that only does the same needs to know it. */
export type RecordedCall =
  | { readonly kind: 'mcp connect'; readonly token: string | undefined }
  | { readonly kind: 'mcp request'; readonly method: string; readonly params: object }
  | { readonly kind: 'mcp end' }
  | { readonly kind: 'a2a card'; readonly path: string; readonly token: string | undefined }
  | {
      readonly kind: 'a2a send';
      readonly path: string;
      readonly token: string | undefined;
      readonly version: '1.0' | '0.3';
      readonly data: unknown;
    };

/** The same fetcher, whose visits note what is sent; `calls` grows with each. */
export function recording(fetcher: Fetcher): { readonly fetcher: Fetcher; readonly calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const listen =
    (fetch: GuardedFetch): GuardedFetch =>
    (input, init = {}) => {
      const call = callOf(new URL(input), init);
      if (call !== undefined) calls.push(call);
      return fetch(input, init);
    };
  return {
    calls,
    fetcher: {
      ...fetcher,
      visit: (options, work) =>
        fetcher.visit(options, (visit) => work({ ...visit, fetch: listen(visit.fetch) })),
    },
  };
}

interface Message {
  readonly method: string;
  readonly params: object & { readonly message?: { readonly parts: readonly { readonly data: unknown }[] } };
}

function callOf({ pathname: path }: URL, { method = 'GET', headers, body }: RequestInit) {
  const token = new Headers(headers).get('authorization')?.replace(/^Bearer /, '');
  if (method === 'DELETE') return { kind: 'mcp end' } as const;
  if (method === 'GET') return { kind: 'a2a card', path, token } as const;
  const { method: name, params } = JSON.parse(textOf(body)) as Message;
  if (name === 'initialize') return { kind: 'mcp connect', token } as const;
  if (name.startsWith('notifications/')) return undefined; // the client sends it by itself
  if (params.message === undefined) return { kind: 'mcp request', method: name, params } as const;
  const version = name === 'SendMessage' ? '1.0' : '0.3';
  const data = params.message.parts[0]?.data;
  return { kind: 'a2a send', path, token, version, data } as const;
}

/** What is signed is sent as bytes. */
function textOf(body: RequestInit['body']): string {
  return typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();
}
