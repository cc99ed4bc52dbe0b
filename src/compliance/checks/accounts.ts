import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import { type CheckFunction, notApplicable } from './check.ts';

/** An account that an answer names, and where. */
interface Named {
  readonly account: JsonObject;
  readonly pointer: string;
}

const MAX_DEPTH = 32;
const MAX_NAMED = 10_000;
/** These repeat what the caller sent, or belong to the agent's vendor. */
const OPAQUE: ReadonlySet<string> = new Set(['context', 'ext']);

/**
 * `own_account`: every object of the answer that names an account names the caller's. A request that names its account or
 * brand limits the answer to it (core/account-ref.json, account/list_accounts-request.json); `value` is the account that
 * the run acts for, and an account with neither its operator nor its brand belongs to somebody else
 * (account/list-accounts-response.json 3.0: accounts that the caller has access to).
 */
export const ownAccount: CheckFunction = ({ validation, payload, request = {} }) => {
  if (payload === undefined) return notApplicable('there is no payload');
  const named = accountsIn(payload);
  if (named.length === 0) return { result: 'pass', message: 'the answer names no account' };
  const asked = [request.account, ...elements(request.accounts)].filter(isObject);
  const { brand } = request;
  const foreign = named.find(({ account }) => {
    if (asked.length > 0)
      return !asked.some((one) => agrees(account, one, ['operator', 'brand', 'account_id']));
    if (isObject(brand) && !agrees(account, { brand }, ['brand'])) return true;
    return isObject(validation.value) && isForeign(account, validation.value);
  });
  if (foreign === undefined)
    return { result: 'pass', message: `all ${named.length} accounts are the caller's` };
  return {
    result: 'fail',
    message: `${foreign.pointer} is the account of another caller`,
    pointer: foreign.pointer,
    expected: asked[0] ?? (isObject(brand) ? { brand } : validation.value),
    actual: shown(foreign.account),
  };
};

/** Objects under `account` anywhere, and the items of `accounts`. */
function accountsIn(payload: JsonObject): readonly Named[] {
  const found: Named[] = [];
  const look = (value: unknown, pointer: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length >= MAX_NAMED) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) look(item, pointerTo(pointer, index), depth + 1);
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        const at = pointerTo(pointer, name);
        if (OPAQUE.has(name)) continue;
        if (name === 'account' && isObject(item)) found.push({ account: item, pointer: at });
        else if (name === 'accounts' && Array.isArray(item))
          found.push(
            ...item.flatMap((account, index) =>
              isObject(account) ? [{ account, pointer: pointerTo(at, index) }] : [],
            ),
          );
        else look(item, at, depth + 1);
      }
    }
  };
  look(payload, '', 0);
  return found.filter(({ account }) =>
    ['operator', 'brand', 'account_id'].some((key) => nameOf(account, key) !== undefined),
  );
}

/** True unless both name the same thing differently; what only one of them names does not count. */
function agrees(account: JsonObject, asked: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => {
    const [own, other] = [nameOf(account, key), nameOf(asked, key)];
    return own === undefined || other === undefined || own === other;
  });
}

/** It names an operator or a brand, and none of them is ours. */
function isForeign(account: JsonObject, ours: JsonObject): boolean {
  const told = ['operator', 'brand'].filter(
    (key) => nameOf(account, key) !== undefined && nameOf(ours, key) !== undefined,
  );
  return told.length > 0 && told.every((key) => nameOf(account, key) !== nameOf(ours, key));
}

/** Domains are equal whatever their case. */
function nameOf(account: JsonObject, key: string): string | undefined {
  const value = key === 'brand' ? member(account.brand, 'domain') : account[key];
  if (typeof value !== 'string') return undefined;
  return key === 'account_id' ? value : value.toLowerCase();
}

function shown({ account_id, brand, operator }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ account_id, brand, operator }).filter(([, value]) => value !== undefined),
  );
}
