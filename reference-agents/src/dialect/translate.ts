import { isObject, type JsonObject, taskNamed, withNamesOf } from '@agent-registry/surface/agent-kit';
import { accountDialect, namedAccount } from './accounts.ts';
import { brandDialect } from './brands.ts';
import { capabilityDialect } from './capabilities.ts';
import { creativeDialect } from './creatives.ts';
import { publicError } from './errors.ts';
import { governanceDialect } from './governance.ts';
import { mediaBuyDialect } from './media-buys.ts';
import { productDialect } from './products.ts';
import { signalDialect } from './signals.ts';
import { type Talk, type TaskDialect, withItems, without } from './wire.ts';

const DIALECT: Readonly<Record<string, TaskDialect>> = {
  ...capabilityDialect,
  ...accountDialect,
  ...productDialect,
  ...creativeDialect,
  ...mediaBuyDialect,
  ...signalDialect,
  ...governanceDialect,
  ...brandDialect,
  sync_audiences: { answer: (answer) => withItems(answer, 'audiences', withErrors) },
  sync_catalogs: { answer: (answer) => withItems(answer, 'catalogs', publicCatalog) },
  log_event: {},
};

/** A request of the public protocol in our words. What is in ours, and what is no object, stays as it is. */
export function ownRequest(task: string, payload: unknown, talk: Talk): unknown {
  if (!isObject(payload)) return payload;
  const known = taskNamed(task);
  // What an earlier check gave is no approval of this one.
  const told = known === 'check_governance' ? without(payload, 'governance_context') : payload;
  const named = known === undefined ? told : withNamesOf('proto', known, told);
  const own = namedAccount(inUtc(named), talk);
  return dialectOf(task).request?.(own, talk) ?? own;
}

/** An answer of ours as the public protocol says it, in its envelope. */
export function publicAnswer(task: string, answer: JsonObject, payload: unknown, talk: Talk): JsonObject {
  const request = isObject(payload) ? payload : {};
  const known = taskNamed(task);
  const named = known === undefined ? answer : withNamesOf('adcp', known, answer);
  const said = dialectOf(task).answer?.(named, request, talk) ?? named;
  return { ...(said.status === undefined && { status: 'completed' }), ...said };
}

function dialectOf(task: string): TaskDialect {
  return DIALECT[taskNamed(task) ?? task] ?? {};
}

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?[+-]\d{2}:\d{2}$/i;

/** A request whose times are in UTC; what the caller wants to have back is left as it is. */
function inUtc(request: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) =>
      name === 'context' || name === 'ext' || name === 'payload' ? [name, value] : [name, utcOf(value)],
    ),
  );
}

function utcOf(value: unknown): unknown {
  if (typeof value === 'string') return WITH_OFFSET.test(value) ? timeOf(value) : value;
  if (Array.isArray(value)) return value.map(utcOf);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, utcOf(item)]))
    : value;
}

function timeOf(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

function withErrors(item: JsonObject): JsonObject {
  return Array.isArray(item.errors) ? { ...item, errors: item.errors.map(publicError) } : item;
}

function publicCatalog(catalog: JsonObject): JsonObject {
  const taken = ['created', 'updated', 'unchanged'].includes(String(catalog.action));
  return withErrors(taken ? { item_count: 0, ...catalog } : catalog);
}
