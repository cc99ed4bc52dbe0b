import type { UrlFault } from '../../ports/fetcher.ts';
import type { ConnectTo } from './connect-to.ts';
import { FetchGuardError } from './failure.ts';
import { createConnectToTable, refuseForbiddenHost } from './routes.ts';
import { bareHost, checkUrl, parseUrl } from './url-rule.ts';

/** What the guard refuses by the text of a URL alone, with the operator's mappings. */
export function createUrlFault(connectTo: readonly ConnectTo[]): UrlFault {
  const mapped = createConnectToTable(connectTo);
  return (text, schemes) => {
    try {
      const url = parseUrl(text);
      const isMapped = mapped.find(bareHost(url)) !== undefined;
      checkUrl(url, schemes, isMapped);
      if (!isMapped) refuseForbiddenHost(url);
      return undefined;
    } catch (error) {
      if (error instanceof FetchGuardError) return error.message;
      throw error;
    }
  };
}
