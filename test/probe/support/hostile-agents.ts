import type { RequestListener, ServerResponse } from 'node:http';
import { rpcAgent, rpcError } from '../../calling/support/rpc.ts';
import { bodyOf, html, json } from '../../calling/support/serve.ts';
import { NAUGHTY } from '../../support/naughty-texts.ts';
import { OWN_NAMES } from '../../support/own-names.ts';

const CAPABILITIES = { proto: { supported_versions: ['3.0'] }, supported_protocols: ['media_buy'] };
const TASKS = ['get_proto_capabilities', 'get_products'];
const LISTS = { 'tools/list': () => ({ tools: TASKS.map((name) => ({ name })) }) };

type Write = (response: ServerResponse, id: string) => void;

/** An agent whose tasks all answer so. */
export const answering = (structuredContent: unknown): RequestListener =>
  rpcAgent({ ...LISTS, 'tools/call': () => ({ structuredContent }) });
const raw = (write: Write) => ({
  raw: (response: ServerResponse, { id }: { readonly id?: unknown }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    write(response, JSON.stringify(id));
  },
});
const bytes = (text: string | Buffer) => raw((response) => response.end(text));
const dripped = raw((response) => {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
});
const endless = raw((response, id) => {
  response.write(`{"jsonrpc":"2.0","id":${id},"result":{"x":"`);
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
});
const nested = (open: string, close: string) =>
  raw((response, id) =>
    response.end(
      `{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":${open.repeat(60_000)}1${close.repeat(60_000)}}}`,
    ),
  );

/** An MCP server that says this text wherever it says something. */
export function saying(text: string): RequestListener {
  const error = { code: text, message: text, recovery: text, pointer: text };
  const told = { [text]: text, proto: { supported_versions: [text] }, supported_protocols: [text] };
  return rpcAgent({
    initialize: () => ({
      ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} }, instructions: text },
      serverInfo: { name: text, title: text, version: text },
    }),
    'tools/list': () => ({
      tools: [
        { name: text, description: text, inputSchema: text },
        ...TASKS.map((name) => ({ name, description: text })),
        ...NAUGHTY.map((one) => ({ name: one + text })),
      ],
    }),
    'tools/call': ({ params }) =>
      Object.keys(Object(params?.arguments)).length === 0 && params?.name === TASKS[0]
        ? { structuredContent: told }
        : { isError: true, structuredContent: error },
  });
}

/** An agent card, and what its skills answer. */
export function a2a(card: (origin: string) => object, result: unknown = null): RequestListener {
  return async (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === '/.well-known/agent-card.json') return json(response, card(origin));
    if (request.url !== '/a2a') return html(response, 404);
    json(response, { jsonrpc: '2.0', id: (await bodyOf(request))?.id, result });
  };
}
const cardOf = (text: string) => (origin: string) => ({
  ...{ name: text, description: text, protocolVersion: '0.3.0', url: `${origin}/a2a` },
  skills: [TASKS[0], text].map((id) => ({ id, name: id, description: text, tags: [text] })),
});
const ended = (text: string, state: string) => ({
  ...{ kind: 'task', id: text, contextId: text, artifacts: [] },
  status: {
    state,
    message: { kind: 'message', messageId: text, role: 'agent', parts: [{ kind: 'text', text }] },
  },
});

/** Agents on loopback that say what breaks pages, and answer as nobody should; what each does, as the end of a sentence. */
export const HOSTILE_AGENTS: readonly (readonly [string, RequestListener])[] = [
  ...NAUGHTY.map((text) => [`says ${JSON.stringify(text.slice(0, 30))}`, saying(text)] as const),
  ...OWN_NAMES.flatMap((said) => {
    const data = { ...CAPABILITIES, supported_protocols: [said], identity: said, specialisms: said };
    const message = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'data', data }] };
    return [
      [`answers with ${JSON.stringify(said)}`, answering(data)],
      [`answers over A2A with ${JSON.stringify(said)}`, a2a(cardOf('a'), message)],
    ] as const;
  }),
  ['drips its answers', rpcAgent({ ...LISTS, 'tools/call': dripped })],
  ['drips its greeting', rpcAgent({ initialize: dripped })],
  ['never ends its answers', rpcAgent({ ...LISTS, 'tools/call': endless })],
  ['never ends its list', rpcAgent({ 'tools/list': endless })],
  ['answers 10 MB', answering({ ...CAPABILITIES, filler: 'x'.repeat(10_000_000) })],
  ['nests lists 60,000 deep', rpcAgent({ ...LISTS, 'tools/call': nested('[', ']') })],
  ['nests objects 60,000 deep', rpcAgent({ ...LISTS, 'tools/call': nested('{"a":', '}') })],
  ['breaks its JSON off', rpcAgent({ ...LISTS, 'tools/call': bytes('{"jsonrpc":"2.0","result":{') })],
  ['answers bytes', rpcAgent({ ...LISTS, 'tools/call': bytes(Buffer.from([0xff, 0, 0xed, 0xa0, 0x80])) })],
  [
    'refuses with a page of naughty texts',
    rpcAgent({
      ...LISTS,
      'tools/call': {
        raw: (response, call) => json(response, rpcError(call, -32_602, NAUGHTY.join('\n').repeat(10))),
      },
    }),
  ],
  [
    'refuses with Markdown and colours',
    rpcAgent({
      ...LISTS,
      'tools/call': () => ({
        isError: true,
        content: [{ type: 'text', text: '# hi\n[a](javascript:alert(1))\u001b[2J\u0000'.repeat(9_000) }],
      }),
    }),
  ],
  ['breaks 50,000 rules of its schema', answering({ proto: 7, supported_protocols: Array(50_000).fill(7) })],
  [
    'wants credentials, with script',
    (_request, response) =>
      void response.writeHead(401, { 'www-authenticate': `Bearer ${NAUGHTY[0]}` }).end(),
  ],
  [
    'leads in a circle',
    (request, response) => void response.writeHead(307, { location: `${request.url}x` }).end(),
  ],
  ['says nothing', (_request, response) => void response.destroy()],
  ...NAUGHTY.map(
    (text) =>
      [
        `has a card and fails with ${JSON.stringify(text.slice(0, 30))}`,
        a2a(cardOf(text), ended(text, 'failed')),
      ] as const,
  ),
  ['has a status of script', a2a(cardOf('a'), ended('a', `${NAUGHTY[0]}`))],
  ['has a task without a form', a2a(cardOf('a'), { kind: 'task', id: 5, status: null, artifacts: {} })],
  ['answers nothing over A2A', a2a(cardOf('a'), null)],
];
