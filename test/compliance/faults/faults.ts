import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { elements, isObject, type JsonObject } from '../../../src/base/json.ts';
import { type Fault, type Occasion, withData, writeJson } from './fault-proxy.ts';

type Write = NonNullable<Fault['write']>;
type Instead = NonNullable<Fault['instead']>;
/** A fault before it is known where it happens. */
export type Trouble = Omit<Fault, 'on' | 'calls'>;

const PAGE = '<!doctype html><title>Gateway</title><p>Something went wrong</p>';

function respond(status: number, type: string, body: string, headers: Record<string, string> = {}): Instead {
  return (response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
}

const problem = (status: number, headers: Record<string, string> = {}) =>
  respond(status, 'application/json', JSON.stringify({ message: 'try again later' }), headers);

/** The connection is reset (RST), not closed in order. */
function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** The agent has done what was asked for, and its answer is lost. */
export const RESET_AFTER: Trouble = { write: reset };

const cutInMidAnswer: Write = (response, message) => {
  const text = JSON.stringify(message);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': `${text.length}` });
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
};

const truncated: Write = (response, message) => {
  const text = JSON.stringify(message);
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(text.slice(0, Math.floor(text.length / 2)));
};

/** No valid answer of a protocol, each with what a report has to show of it. */
export interface WireFault extends Trouble {
  readonly shows: readonly RegExp[];
}

const HTML = /text\/html/;
const NO_ANSWER = /no answer|timeout|timed out|\d(\.\d)? s\b/i;
const CONNECTION = /connection|reset|closed|cut|truncated|incomplete|ended|terminated|interrupted|body/i;

/** The limit of a call in cells that wait for one, milliseconds; the smallest that `agent-registry check --timeout` takes. */
export const CALL_LIMIT_MS = 1_000;

// biome-ignore format: one fault a line
export const WIRE_FAULTS: Readonly<Record<string, WireFault>> = {
  'HTML with 500': { instead: respond(500, 'text/html; charset=utf-8', PAGE), shows: [/500/, HTML] },
  'JSON with 500': { instead: problem(500), shows: [/500/] },
  'JSON with 502': { instead: problem(502), shows: [/502/] },
  'JSON with 504': { instead: problem(504), shows: [/504/] },
  'HTML with 200': { instead: respond(200, 'text/html', PAGE), shows: [HTML] },
  'HTML with 404': { instead: respond(404, 'text/html', PAGE), shows: [/404/, HTML] },
  'a redirect to a login page': { instead: respond(302, 'text/html', PAGE, { location: '/login' }), shows: [/redirect|302|404|html/i] },
  'an empty body with 200': { instead: respond(200, 'application/json', ''), shows: [/empty|json|body/i] },
  'no content (204)': { instead: (response) => void response.writeHead(204).end(), shows: [/204|empty|no content/i] },
  'JSON that is no message': { instead: respond(200, 'application/json', '{"ok":true}'), shows: [/json|protocol|message/i] },
  'a message without a result': { message: ({ id }) => ({ jsonrpc: '2.0', id }), shows: [/json|protocol|message/i] },
  'text in the place of data': { message: (message) => ({ ...message, result: { content: [{ type: 'text', text: 'It went well.' }] } }), shows: [/json|object|data/i] },
  'truncated JSON': { write: truncated, shows: [/json|truncated|incomplete/i] },
  'a connection cut in mid-answer': { write: cutInMidAnswer, shows: [CONNECTION] },
  'connections that are always reset': { instead: reset, shows: [CONNECTION] },
  '429 for ever': { instead: problem(429, { 'retry-after': '0' }), shows: [/429/] },
  '503 for ever': { instead: problem(503, { 'retry-after': '0' }), shows: [/503/] },
  'a call that is too slow': { delayMs: 1.5 * CALL_LIMIT_MS, shows: [NO_ANSWER] },
  'a call that never ends': { instead: () => undefined, shows: [NO_ANSWER] },
};

/** It passes when the same is asked again. */
// biome-ignore format: one trouble a line
export const PASSING_TROUBLE: Readonly<Record<string, Trouble>> = {
  '429 with Retry-After': { instead: problem(429, { 'retry-after': '0' }) },
  '429 without Retry-After': { instead: problem(429) },
  '503': { instead: problem(503, { 'retry-after': '0' }) },
  '503 with an HTML page': { instead: respond(503, 'text/html', PAGE) },
  'a reset connection': { instead: reset },
};

/** What a declaration may come to, call after call, so that it is never read. */
// biome-ignore format: one trouble a line
export const UNREADABLE: Readonly<Record<string, WireFault>> = {
  '429 for ever': { instead: problem(429, { 'retry-after': '0' }), shows: [/429/] },
  '503 for ever': { instead: problem(503, { 'retry-after': '0' }), shows: [/503/] },
  'HTML with 500 for ever': { instead: respond(500, 'text/html', PAGE), shows: [/500/, HTML] },
  'HTML with 200 for ever': { instead: respond(200, 'text/html', PAGE), shows: [HTML] },
  'truncated JSON for ever': { write: truncated, shows: [/json/i] },
  'connections that are always reset': { instead: reset, shows: [CONNECTION] },
  'no end of the call': { instead: () => undefined, shows: [NO_ANSWER] },
};

/* What an agent answers wrongly although its answer is one of the protocol. */

/** Changes every object under a value, innermost first. */
function eachObject(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => eachObject(item, change));
  if (!isObject(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, eachObject(item, change)])),
  );
}

function inList(data: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  if (!Array.isArray(data[key])) return data;
  return { ...data, [key]: data[key].map((item: unknown) => (isObject(item) ? change(item) : item)) };
}

function asText(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const changed = keys.filter((key) => typeof object[key] === 'number').map((key) => [key, `${object[key]}`]);
  return { ...object, ...Object.fromEntries(changed) };
}

function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** In the answers that say that they repeat an earlier one. */
function replays(change: (data: JsonObject) => JsonObject): Trouble {
  return { data: (data) => (data.replayed === true ? change(data) : data) };
}

const firstOf = (key: string, changes: JsonObject) =>
  replays((data) => ({
    ...data,
    [key]: elements(data[key]).map((item, index) =>
      index === 0 ? { ...(item as JsonObject), ...changes } : item,
    ),
  }));

/** Adds to an amount, which is a number in the public vocabulary and an object in ours. */
function more(amount: unknown): unknown {
  if (typeof amount === 'number') return amount + 1;
  return isObject(amount) && typeof amount.amount === 'number'
    ? { ...amount, amount: amount.amount + 1 }
    : amount;
}

/** A delivery in the shape of the vocabulary that decides: the public one where the agent has it, else ours. */
function inDelivery(
  data: JsonObject,
  { all, buy, part }: Partial<Record<'all' | 'buy' | 'part', (totals: JsonObject) => JsonObject>>,
): JsonObject {
  const same = (totals: JsonObject) => totals;
  const isPublic = data.media_buy_deliveries !== undefined;
  const total = all ?? same;
  if (isPublic) {
    const changed = inList(data, 'media_buy_deliveries', (one) => ({
      ...inList(one, 'by_package', part ?? same),
      ...(isObject(one.totals) && { totals: (buy ?? same)(one.totals) }),
    }));
    return {
      ...changed,
      ...(isObject(data.aggregated_totals) && { aggregated_totals: total(data.aggregated_totals) }),
    };
  }
  const changed = inList(inList(data, 'by_package', part ?? same), 'media_buys', (one) =>
    (buy ?? same)(inList(one, 'by_package', part ?? same)),
  );
  return total(changed);
}

const inAllTotals = (change: (totals: JsonObject) => JsonObject): Trouble => ({
  data: (data) => inDelivery(data, { all: change, buy: change, part: change }),
});

/** Spend as text, in the form that the agent has it. */
function spendAsText(totals: JsonObject): JsonObject {
  const { spend } = totals;
  return isObject(spend) ? { ...totals, spend: asText(spend, 'amount') } : asText(totals, 'spend');
}

function addForeignBuy(data: JsonObject): JsonObject {
  const add = (key: string) => {
    const list = elements(data[key]);
    if (!isObject(list[0])) return {};
    return { [key]: [...list, { ...list[0], media_buy_id: 'mb_of_somebody_else' }] };
  };
  return { ...data, ...add('media_buys'), ...add('media_buy_deliveries') };
}

const FOREIGN_ACCOUNT = {
  account_id: 'acc_of_somebody_else',
  name: 'Somebody else',
  brand: { domain: 'somebody-else.example' },
  operator: 'somebody-else.example',
  billing: 'operator',
  status: 'active',
  currency: 'EUR',
} as const;

const FINE = 1_000_000;
const withBudgets = (isChanged: (budget: number) => boolean): Trouble => ({
  args: (args) =>
    inList(args, 'packages', (part) =>
      typeof part.budget === 'number' && isChanged(part.budget) ? { ...part, budget: FINE } : part,
    ),
});

const IGNORES_KEY: Trouble = {
  args: (args) => (args.idempotency_key === undefined ? args : { ...args, idempotency_key: randomUUID() }),
};

const refusalWith = (code: string): Trouble => ({
  message: (message) => {
    const { result } = message;
    if (!isObject(result) || result.isError !== true) return message;
    const changed = eachObject(result, (object) =>
      typeof object.code === 'string' ? { ...object, code } : object,
    ) as JsonObject;
    const text = JSON.stringify(changed.structuredContent ?? { code, message: 'no' });
    return { ...message, result: { ...changed, content: [{ type: 'text', text }] } };
  },
});

/** A refusal in the form of both vocabularies. */
const REFUSES_ALL: Trouble = {
  message: ({ id }) => {
    const error = { code: 'INTERNAL_ERROR', message: 'something is broken', recovery: 'terminal' };
    const data = { ...error, adcp_error: error };
    const content = [{ type: 'text', text: JSON.stringify(data) }];
    return { jsonrpc: '2.0', id, result: { isError: true, structuredContent: data, content } };
  },
};

const UNKNOWN_TOOL: Trouble = {
  message: ({ id }, { on }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32_602, message: `Unknown tool: ${on}` },
  }),
};

/** A fault in the content, with the occasion that a report has to name. */
interface ContentFault {
  readonly fault: Fault;
  /** The task whose step has to fail. */
  readonly task: Occasion;
  /** What a message or a pointer of the failed step has to contain. */
  readonly shows?: RegExp;
  /** Only agents of one vocabulary can have it, or can be blamed for it. */
  readonly vocabulary?: 'proto' | 'adcp';
  /** No single storyboard shows it. */
  readonly isOfTheWhole?: true;
}

function at(task: Occasion, trouble: Trouble, shows?: RegExp, vocabulary?: 'proto' | 'adcp'): ContentFault {
  return {
    task,
    fault: { on: [task], ...trouble },
    ...(shows && { shows }),
    ...(vocabulary && { vocabulary }),
  };
}

/** The tools of a list, without some; a task that is left out is unknown when it is called all the same. */
function withoutTools(named: Occasion, isLeftOut: (name: string) => boolean): ContentFault {
  const fault: Fault = {
    on: ['tools/list'],
    message: (message) => {
      const { result } = message;
      if (!isObject(result)) return message;
      const tools = elements(result.tools).filter(
        (tool) => !isLeftOut(String(isObject(tool) ? tool.name : '')),
      );
      return { ...message, result: { ...result, tools } };
    },
  };
  return { task: named, fault, isOfTheWhole: true };
}

const BUYING: ReadonlySet<string> = new Set([
  ...['get_products', 'create_media_buy', 'update_media_buy', 'get_media_buys', 'get_media_buy_delivery'],
  ...[
    'list_creative_formats',
    'sync_creatives',
    'list_creatives',
    'sync_catalogs',
    'sync_audiences',
    'log_event',
  ],
  ...['list_authorized_properties', 'provide_performance_feedback'],
]);

/** Where idempotency keys are part of the request. */
const KEYED_TASKS = [
  ...['sync_accounts', 'sync_creatives', 'sync_catalogs', 'sync_audiences', 'create_media_buy'],
  ...['update_media_buy', 'log_event', 'provide_performance_feedback'],
] as const;

const DELIVERY = 'get_media_buy_delivery';

// biome-ignore format: one fault a line
export const CONTENT_FAULTS: Readonly<Record<string, ContentFault>> = {
  'price as text': at('get_products', { data: (data) => eachObject(data, (object) => asText(object, 'price', 'fixed_price', 'floor_price')) as JsonObject }, /price/),
  'minimum spend as text': at('get_products', { data: (data) => eachObject(data, (object) => asText(object, 'min_spend', 'min_spend_per_package')) as JsonObject }, /min_spend/),
  'products without a name': at('get_products', { data: (data) => inList(data, 'products', (one) => without(one, 'name')) }, /name/),
  // our own schema leaves the models open
  'an unknown pricing model': at('get_products', { data: (data) => inList(data, 'products', (one) => inList(one, 'pricing_options', (price) => ({ ...price, ...(price.model !== undefined && { model: 'barter' }), ...(price.pricing_model !== undefined && { pricing_model: 'barter' }) }))) }, /model|barter/, 'adcp'),
  ...Object.fromEntries(KEYED_TASKS.map((task) => [`ignored idempotency key of ${task}`, at(task, IGNORES_KEY)])),
  'a replay with another budget': at('create_media_buy', replays((data) => inList({ ...data, total_budget: more(data.total_budget) }, 'packages', (part) => ({ ...part, budget: more(part.budget) }))), /budget/),
  'a replay with another total only': at('create_media_buy', replays((data) => ({ ...data, total_budget: more(data.total_budget) })), /budget/, 'proto'),
  'a replay with another package': at('create_media_buy', firstOf('packages', { package_id: 'pkg_other' }), /package/),
  'a replay with another product': at('create_media_buy', firstOf('packages', { product_id: 'product_other' }), /product/),
  'a replay of a cancellation with another package': at('update_media_buy', firstOf('packages', { package_id: 'pkg_other' }), /package/),
  'a replay of a cancellation with another status': at('update_media_buy', replays((data) => ({ ...data, status: 'active' })), /status/),
  'a replay with another account': at('sync_accounts', firstOf('accounts', { account_id: 'acc_other' }), /account/),
  'a replay with another creative': at('sync_creatives', firstOf('creatives', { creative_id: 'creative_other' }), /creative/),
  'a replay with another catalogue': at('sync_catalogs', firstOf('catalogs', { catalog_id: 'catalog_other' }), /catalog/),
  'a replay with another audience': at('sync_audiences', firstOf('audiences', { audience_id: 'audience_other' }), /audience/),
  'a replay with another count of events': at('log_event', replays((data) => ({ ...data, events_received: 7 })), /events/),
  'negative budgets are accepted': at('create_media_buy', withBudgets((budget) => budget < 0)),
  'budgets of zero are accepted': at('create_media_buy', withBudgets((budget) => budget === 0)),
  'negative budgets are accepted in a change': at('update_media_buy', withBudgets((budget) => budget < 0)),
  'impressions as text': at(DELIVERY, inAllTotals((totals) => asText(totals, 'impressions')), /impressions/),
  'spend as text': at(DELIVERY, inAllTotals(spendAsText), /spend/),
  'no reporting period': at(DELIVERY, { data: (data) => without(data, 'reporting_period') }, /reporting_period/),
  'a reporting period without an end': at(DELIVERY, { data: (data) => ({ ...data, reporting_period: without(data.reporting_period as JsonObject, 'end') }) }, /reporting_period|end/),
  'no packages in a delivery': at(DELIVERY, { data: (data) => (data.media_buy_deliveries === undefined ? without(data, 'by_package') : inList(data, 'media_buy_deliveries', (one) => without(one, 'by_package'))) }, /package/),
  'spend that does not add up': at(DELIVERY, { data: (data) => inDelivery(data, { all: (totals) => ({ ...totals, spend: more(totals.spend) }), buy: (totals) => ({ ...totals, spend: more(totals.spend) }) }) }, /spend/),
  'impressions that do not add up': at(DELIVERY, { data: (data) => inDelivery(data, { all: (totals) => ({ ...totals, impressions: more(totals.impressions) }), buy: (totals) => ({ ...totals, impressions: more(totals.impressions) }) }) }, /impressions/),
  'a total over several that does not add up': at(DELIVERY, { data: (data) => inDelivery(data, { all: (totals) => ({ ...totals, spend: more(totals.spend) }) }) }, /spend/),
  'a delivery of another media buy beside the one asked for': at(DELIVERY, { data: addForeignBuy }, /media_buy|somebody/),
  // for public agents a recommendation: one credential may act for several operators
  'accounts of somebody else in the list': at('list_accounts', { data: (data) => ({ ...data, accounts: [...elements(data.accounts), FOREIGN_ACCOUNT] }) }, /account|operator|brand|somebody/, 'proto'),
  'no declaration of idempotency': at('capabilities', { data: (data) => eachObject(data, (object) => ('supported_versions' in object || 'major_versions' in object ? without(object, 'idempotency') : object)) as JsonObject }, /idempotency/),
  'a protocol declared without its tasks': withoutTools('get_products', (name) => BUYING.has(name)),
  'get_products is not offered': withoutTools('get_products', (name) => name === 'get_products'),
  'create_media_buy is not offered': withoutTools('create_media_buy', (name) => name === 'create_media_buy'),
  'get_media_buy_delivery is not offered': withoutTools(DELIVERY, (name) => name === DELIVERY),
  'an order is refused with another code': at('create_media_buy', refusalWith('SOMETHING_ELSE'), undefined, 'proto'),
  'a change is refused with another code': at('update_media_buy', refusalWith('SOMETHING_ELSE'), undefined, 'proto'),
};

/** Accepts what has no credentials, as if it had these: a task that is open to everybody. */
export function openToEverybody(task: Occasion, token: string): ContentFault {
  return {
    task,
    fault: {
      headers: (headers) => headers.set('authorization', `Bearer ${token}`),
    },
  };
}

/** Answers of the protocol with which a task does nothing. */
export const USELESS: Readonly<Record<string, Trouble>> = {
  'every call is refused': REFUSES_ALL,
  'the tool is unknown when it is called': UNKNOWN_TOOL,
};

/* What every client has to live with. */

const sse =
  (lineEnd: string, before = ''): Write =>
  (response, message, headers) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.end(`${before}event: message${lineEnd}data: ${JSON.stringify(message)}${lineEnd}${lineEnd}`);
  };

const encoded =
  (encoding: string, compress: (text: string) => Buffer): Write =>
  (response, message, headers) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': encoding,
      ...headers,
    });
    response.end(compress(JSON.stringify(message)));
  };

const typed =
  (type: string): Write =>
  (response, message, headers) =>
    writeJson(response, message, { ...headers, 'content-type': type });

const inPieces: Write = (response, message, headers) => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  const bytes = Buffer.from(JSON.stringify(message));
  const third = Math.ceil(bytes.length / 3);
  for (const at of [0, 1, 2]) response.write(bytes.subarray(at * third, (at + 1) * third));
  response.end();
};

const pretty: Write = (response, message, headers) => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(`\n${JSON.stringify(message, null, 2)}\n`);
};

const NOTE = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data: 'working' },
} as const;

const EXTRA = { x_more: 'a field of a later version', x_details: { more: [1, null, 'three'] } } as const;

/** Maps, in which one more field would be an entry with a wrong value. */
const MAPS = ['features', 'metrics', 'macros', 'assets'];

function extraIn(data: JsonObject): JsonObject {
  const maps = Object.fromEntries(
    MAPS.flatMap((key) => (Object.hasOwn(data, key) ? [[key, data[key]]] : [])),
  );
  const rest = Object.entries(data).filter(([key]) => !MAPS.includes(key));
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isObject(value) ? extraIn(value) : value;
  };
  return { ...Object.fromEntries(rest.map(([key, value]) => [key, inside(value)])), ...maps, ...EXTRA };
}

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, reversed(item)] as const)
      .toReversed(),
  );
};

function inResult(change: (result: JsonObject) => JsonObject): Trouble {
  return {
    message: (message) =>
      isObject(message.result) && Array.isArray(message.result.content)
        ? { ...message, result: change(message.result) }
        : message,
  };
}

const PAGE_SIZE = 3;

/** Pages of the tool list. The agent is asked for the whole list each time. */
export const TOOL_PAGES: Fault = {
  on: ['tools/list'],
  params: (params) => without(params, 'cursor'),
  message: (message, { params }) => {
    const { result } = message;
    if (!isObject(result)) return message;
    const tools = elements(result.tools);
    const from = Number(String(params.cursor ?? 'after 0').slice('after '.length));
    const next = from + PAGE_SIZE;
    const page = {
      tools: tools.slice(from, next),
      ...(next < tools.length && { nextCursor: `after ${next}` }),
    };
    return { ...message, result: { ...without(result, 'nextCursor'), ...page } };
  },
};

// biome-ignore format: one variation a line
export const HARMLESS: Readonly<Record<string, Fault>> = {
  'no change at all': {},
  'extra fields in all data': { data: extraIn },
  'extra fields in messages and results': { message: (message) => ({ ...message, ...(isObject(message.result) && { result: { ...message.result, _meta: { 'example.com/trace': 'abc' }, x_more: true } }) }) },
  'fields in another order': { message: (message) => reversed(withData(message, (data) => reversed(data) as JsonObject)) as JsonObject },
  'server-sent events': { write: sse('\n') },
  'server-sent events with CRLF, comments and ids': { write: sse('\r\n', ': hello\r\n\r\nid: 7\r\nretry: 1000\r\n') },
  'server-sent events with a notification first': { write: sse('\n', `event: message\ndata: ${JSON.stringify(NOTE)}\n\n`) },
  'plain JSON': { write: writeJson },
  'a content type with a charset': { write: typed('application/json; charset=utf-8') },
  'a content type in upper case': { write: typed('Application/JSON;Charset="UTF-8"') },
  gzip: { write: encoded('gzip', gzipSync) },
  brotli: { write: encoded('br', brotliCompressSync) },
  'a body in pieces': { write: inPieces },
  'indented JSON': { write: pretty },
  'pages of tools': TOOL_PAGES,
  'structured content alone': inResult((result) => (isObject(result.structuredContent) ? { ...result, content: [] } : result)),
  'the text copy alone': inResult((result) => ({ ...without(result, 'structuredContent'), ...(isObject(result.structuredContent) && { content: [{ type: 'text', text: JSON.stringify(result.structuredContent) }] }) })),
  'an older version of MCP': { on: ['initialize'], message: (message) => ({ ...message, ...(isObject(message.result) && { result: { ...message.result, protocolVersion: '2025-03-26' } }) }) },
  'slow answers': { delayMs: 15 },
};
