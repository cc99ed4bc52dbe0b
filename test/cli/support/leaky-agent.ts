import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, json } from '../../calling/support/serve.ts';
import { OPEN } from '../../compliance/support/runs.ts';

/** The forms in which the agent says a text again, by name. */
export function formsOf(text: string): Readonly<Record<string, string>> {
  const each = (write: (code: number) => string) =>
    [...text].map((character) => write(character.charCodeAt(0))).join('');
  const hex = (code: number) => code.toString(16).padStart(2, '0');
  const percent = each((code) => `%${hex(code)}`);
  const base64 = (before: string) => Buffer.from(`${before}${text}/after`).toString('base64');
  return {
    plain: text,
    upper: text.toUpperCase(),
    lower: text.toLowerCase(),
    component: encodeURIComponent(text),
    percent,
    percentTwice: percent.replaceAll('%', '%25'),
    json: each((code) => `\\u00${hex(code)}`),
    slashes: text.replaceAll('/', '\\/'),
    html: each((code) => `&#${code};`),
    htmlHex: each((code) => `&#x${hex(code)};`),
    hex: each(hex),
    base64: base64(''),
    base64After1: base64('u'),
    base64After2: base64('u:'),
    base64url: Buffer.from(`name:${text}`).toString('base64url'),
    basic: `Basic ${base64('user:')}`,
  };
}

/** The longest parts of the forms that may be left over. */
const REST = 16;

/** Which forms of a text stand in another one, whole or a good part of them. */
export function formsIn(text: string, secret: string): readonly string[] {
  const half = Math.ceil(secret.length / 2);
  const forms = { ...formsOf(secret), first: secret.slice(0, half), second: secret.slice(half) };
  const searched = text.toLowerCase();
  return Object.entries(forms).flatMap(([name, form]) => {
    // the ends of base64 hold bits of what stands around
    const core = form.slice(4, -12).toLowerCase();
    const size = name === 'first' || name === 'second' ? REST : Math.min(core.length, 4 * REST);
    const whole = name === 'first' || name === 'second' ? form.toLowerCase() : core;
    for (let at = 0; at + size <= whole.length; at += 1)
      if (searched.includes(whole.slice(at, at + size))) return [name];
    return [];
  });
}

export interface LeakyAgent {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** What came with each request; undefined for none. */
  readonly given: (string | undefined)[];
  /** Whether it has said it in every one of its ways. */
  saidAll(): boolean;
}

/** An MCP agent that says what it authenticates its callers with, wherever and however it can, and does nothing else right. */
export function leakyAgent(secret: string): LeakyAgent {
  const given: (string | undefined)[] = [];
  const forms = formsOf(secret);
  const half = Math.ceil(secret.length / 2);
  const halves = { first_half: secret.slice(0, half), second_half: secret.slice(half) };
  const all = Object.values(forms).join(' | ');
  const header = {
    'www-authenticate': `Bearer realm="${secret}", error="${forms.percent}"`,
    'x-seen': secret,
  };
  const data = { ...forms, ...halves, [secret]: 1, [forms.upper ?? '']: [forms], message: all };
  const answers: ((response: ServerResponse, id: unknown) => void)[] = [
    (response, id) => json(response, result(id, { structuredContent: data, content: [] }), 200, header),
    (response, id) =>
      json(
        response,
        result(id, {
          isError: true,
          structuredContent: { error: { code: secret, message: all, details: data } },
          content: [],
        }),
      ),
    (response, id) => json(response, { jsonrpc: '2.0', id, error: { code: -32_000, message: all, data } }),
    (response) =>
      void response
        .writeHead(500, { 'content-type': 'text/html' })
        .end(`<h1>${all}</h1><pre>${JSON.stringify(data)}</pre>`),
    (response) => json(response, data, 401, header),
    (response) =>
      void response
        .writeHead(302, { location: `https://other.example/?t=${forms.percent}&u=${secret}` })
        .end(),
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(`{${all}`),
  ];
  let calls = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    given.push(request.headers.authorization);
    const call = request.method === 'POST' ? await bodyOf(request) : undefined;
    if (call === undefined) return void response.writeHead(404, header).end(all);
    if (call.id === undefined) return void response.writeHead(202).end();
    const { id, method } = call;
    const task = (call.params as { readonly name?: string } | undefined)?.name;
    if (method === 'initialize') return json(response, result(id, hello(secret)));
    if (method === 'tools/list') return json(response, result(id, { tools: tools(secret) }));
    if (task === 'get_proto_capabilities')
      return json(
        response,
        result(id, {
          structuredContent: {
            ...OPEN,
            ...halves,
            supported_protocols: ['media_buy', secret],
            specialisms: ['sales-guaranteed', secret, forms.upper],
          },
          content: [],
        }),
      );
    answers[calls++ % answers.length]?.(response, id);
  };
  return { listener, given, saidAll: () => calls >= answers.length };
}

function hello(secret: string) {
  return {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: `agent with ${secret}`, version: secret },
    instructions: secret,
  };
}

function tools(secret: string) {
  const names = ['get_proto_capabilities', 'get_products', 'create_media_buy', 'update_media_buy'];
  return [...names, secret, `x_${secret.slice(0, 20)}`].map((name) => ({
    name,
    description: secret,
    inputSchema: { type: 'object', description: secret },
  }));
}

function result(id: unknown, value: object) {
  return { jsonrpc: '2.0', id, result: value };
}
