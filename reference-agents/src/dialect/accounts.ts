import { isObject, type JsonObject, member, withNamesOf } from '@agent-registry/surface/agent-kit';
import {
  accountsOf,
  atThisTime,
  recordOf,
  type StoredAccount,
} from '../reference/accounts/stored-account.ts';
import { publicError } from './errors.ts';
import { objects, type Talk, type TaskDialect, withItems, without } from './wire.ts';

export const accountDialect: Readonly<Record<string, TaskDialect>> = {
  sync_accounts: { answer: (answer) => withItems(answer, 'accounts', publicAccount) },
  list_accounts: { answer: (answer) => withItems(answer, 'accounts', publicAccount) },
};

/** An account as it is told there: with a name, and with what is still to be done under `setup`. */
export function publicAccount(account: JsonObject): JsonObject {
  const { status, brand, operator, missing_information: missing } = account;
  const domain = isObject(brand) ? brand.domain : '';
  return {
    name: `${domain} by ${operator}`,
    ...account,
    ...(status === 'pending_approval' && { setup: { message: setupOf(missing) } }),
    ...(Array.isArray(account.errors) && { errors: account.errors.map(publicError) }),
  };
}

function setupOf(missing: unknown): string {
  if (!Array.isArray(missing)) return 'the account is under review';
  const fields = missing.filter(isObject).map(({ field }) => field);
  return `the seller still requires ${fields.join(', ')}`;
}

/** An account that a request names by its id alone, by brand and operator too: those are its key here. */
export function namedAccount(request: JsonObject, talk: Talk): JsonObject {
  const { account } = request;
  if (!isObject(account) || typeof account.account_id !== 'string' || account.brand !== undefined)
    return request;
  const { account_id: id } = account;
  const found = storedAccount(talk, ({ accountId }) => accountId === id);
  // What is not there is refused as unknown, and not for its form.
  const { brand, operator, sandbox } = found ?? {
    brand: NOBODY,
    operator: talk.caller.operator,
    sandbox: true,
  };
  return { ...request, account: { ...account, brand, operator: operator ?? NOBODY.domain, sandbox } };
}

const NOBODY = { domain: 'unknown.invalid' };

/** What belongs to an account with the whole account, as answers show it; without it when it is gone. */
export function withAccount(object: JsonObject, talk: Talk): JsonObject {
  const { account } = object;
  if (!isObject(account)) return object;
  const { account_id: id, operator: by, brand: whose } = account;
  const stored = storedAccount(talk, ({ accountId, brand, operator }) =>
    id === undefined ? operator === by && brand.domain === member(whose, 'domain') : accountId === id,
  );
  if (stored === undefined) return without(object, 'account');
  const record: JsonObject = { ...recordOf(atThisTime(stored, talk.now)) };
  const [shown] = objects(withNamesOf('adcp', 'list_accounts', { accounts: [record] }).accounts);
  return { ...object, account: { ...account, ...publicAccount(shown ?? record) } };
}

function storedAccount(talk: Talk, isMeant: (account: StoredAccount) => boolean): StoredAccount | undefined {
  return accountsOf({ ...talk, newId: () => '' })
    .list()
    .map(({ document }) => document)
    .find(isMeant);
}
