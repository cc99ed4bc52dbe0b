import { LRUCache } from 'lru-cache';
import type { IdentityRequest } from './messages.ts';

/**
 * An identity match request as JSON.stringify writes it, with nothing that would have to be unescaped: its three
 * members once each, and each in the form of the schema. The list is only found here; it has to be known.
 */
const PLAIN =
  /^\{"request_id":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})","token":"([A-Za-z0-9_-]{32,128})","package_ids":(\["[a-z0-9",._-]+"\])\}$/;

/** Lists that are kept; a publisher has one, or a few. */
const MAX_LISTS = 64;

/**
 * Publishers ask for the same packages each time, so that their lists tell nothing; a list that was read and found
 * right once needs no reading again. Any other body is left to `read`. A known list comes as the same array each time.
 */
export function withKnownLists(
  read: (body: unknown) => IdentityRequest,
  checkTexts: (request: IdentityRequest) => void,
): (body: unknown) => IdentityRequest {
  const lists = new LRUCache<string, readonly string[]>({ max: MAX_LISTS });
  return (body) => {
    const [, request_id = '', token = '', list = ''] = (typeof body === 'string' && PLAIN.exec(body)) || [];
    const package_ids = lists.get(list);
    if (package_ids === undefined) {
      const request = read(body);
      // under a text of its own: a part of the body would keep all of the body, token and all
      if (list !== '') lists.set(JSON.stringify(request.package_ids), request.package_ids);
      return request;
    }
    const request = { request_id, token, package_ids };
    checkTexts(request);
    return request;
  };
}
