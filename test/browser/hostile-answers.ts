import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NAUGHTY } from '../support/naughty-texts.ts';

/** An answer that nobody should give, and what the form says of it in the end. */
export interface HostileAnswer {
  readonly what: string;
  readonly answer: RequestListener;
  /** Of its status line. */
  readonly says: string;
  /** It has no end: somebody stops it once the status line says this. */
  readonly endless?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const text = (body: string | Buffer, type = 'application/json') =>
  ((_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)) satisfies RequestListener;
const flood = (piece: string | Buffer, type: string): RequestListener => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };
};
const drip = (response: ServerResponse): void => {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(`"${NAUGHTY[0]}",`), 20);
  response.on('close', () => clearInterval(timer));
};

const ANSWERED = String.raw`^200 .*in \d+ ms$`;
const MARKUP = NAUGHTY.join('\n');

export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  { what: 'a page of script', answer: text(MARKUP, 'text/html'), says: ANSWERED },
  {
    what: 'a picture of script',
    answer: text(`<svg onload=alert(1)>${MARKUP}`, 'image/svg+xml'),
    says: ANSWERED,
  },
  { what: 'JSON of naughty texts', answer: text(JSON.stringify(NAUGHTY)), says: ANSWERED },
  { what: 'broken JSON', answer: text(`{"a": ${MARKUP}`), says: ANSWERED },
  { what: 'bytes', answer: text(Buffer.from([0xff, 0, 0xed, 0xa0, 0x80, 0x1b])), says: ANSWERED },
  { what: 'a word of 100 kB', answer: text(JSON.stringify({ a: 'w'.repeat(100_000) })), says: ANSWERED },
  {
    what: 'text that turns around',
    answer: text(JSON.stringify('\u202e\u2066'.repeat(9_000))),
    says: ANSWERED,
  },
  { what: 'lists 60,000 deep', answer: text('['.repeat(60_000) + ']'.repeat(60_000)), says: ANSWERED },
  {
    what: 'script in its head',
    answer: (_request, response) =>
      void response
        .writeHead(200, `${NAUGHTY[0]}`, {
          ...JSON_TYPE,
          [`x-${'h'.repeat(5_000)}`]: `${NAUGHTY[1]}`,
          refresh: '0;url=/',
        })
        .end('{}'),
    says: ANSWERED,
  },
  {
    what: 'a refusal of script',
    answer: (_request, response) =>
      void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ title: MARKUP, detail: MARKUP })),
    says: String.raw`^400 .*in \d+ ms$`,
  },
  {
    what: 'JSON without an end',
    answer: flood(`{"a":"${'x'.repeat(65_536)}`, 'application/json'),
    says: ANSWERED,
  },
  {
    what: 'an export without an end',
    answer: flood(Buffer.alloc(65_536, 0x8b), 'application/gzip'),
    says: ANSWERED,
  },
  { what: 'a flood of events', answer: flood(`data: ${MARKUP}\n\n`, 'text/event-stream'), says: ANSWERED },
  {
    what: 'drops',
    answer: (_request, response) => drip(response),
    endless: '^200 OK, so far$',
    says: '^Stopped after',
  },
  { what: 'nothing', answer: () => {}, endless: '^Waiting', says: '^Stopped after' },
  {
    what: 'an answer that breaks off',
    answer: (_request, response) => {
      response.writeHead(200, JSON_TYPE).write('{"a":');
      setTimeout(() => response.destroy(), 50);
    },
    says: '^No answer$',
  },
  {
    what: 'the way to somebody else',
    answer: (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    says: '^No answer$',
  },
];

/** A site with the pages of this registry, whose API answers as it is told; `over` is when its last answer is. */
export async function hostileRegistry(registry: string) {
  const site = { answer: HOSTILE_ANSWERS[0]?.answer as RequestListener, over: Promise.resolve() };
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/api/')) return void passOn(`${registry}${request.url}`, response);
    site.over = new Promise((resolve) => response.once('close', resolve));
    site.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(site, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}

async function passOn(url: string, response: ServerResponse): Promise<void> {
  const page = await fetch(url);
  const kept = ['content-type', 'content-security-policy', 'x-content-type-options'];
  const headers = kept.flatMap((name) => [[name, page.headers.get(name) ?? ''] as const]);
  response.writeHead(page.status, Object.fromEntries(headers)).end(Buffer.from(await page.arrayBuffer()));
}
