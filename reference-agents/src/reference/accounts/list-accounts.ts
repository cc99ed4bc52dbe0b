import { handler, refuse } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { type AccountStatus, accountsOf, atThisTime, recordOf } from './stored-account.ts';

const STATUSES: readonly AccountStatus[] = [
  'active',
  'pending_review',
  'information_needed',
  'suspended',
  'closed',
  'rejected',
];

export const listAccounts = handler('list_accounts', {
  description: 'Lists the accounts of the caller, the active ones unless it asks for others',
  callers: 'known',
  run: ({ brand, status = 'active', pagination }, call) => {
    if (!STATUSES.includes(status as AccountStatus)) {
      refuse(
        'VALIDATION_ERROR',
        '/status: is no status of an account',
        '/status',
        `use one of ${STATUSES.join(', ')}`,
      );
    }
    const found = accountsOf(call)
      .list()
      .map(({ document }) => atThisTime(document, call.now))
      .filter((account) => account.status === status)
      .filter((account) => brand === undefined || account.brand.domain === brand.domain.toLowerCase())
      .filter((account) => brand?.brand_id === undefined || account.brand.brand_id === brand.brand_id);
    const page = pageOf(found, pagination);
    return { accounts: page.items.map(recordOf), pagination: page.pagination };
  },
});
