import { type EngineProxy, startProxy as startProxyTo } from '../start/proxy.ts';
import { openSearchUrl } from '../support/engines.ts';

export type { EngineProxy, ProxyRequest, Verdict } from '../start/proxy.ts';

/** A proxy to the OpenSearch of the tests. */
export function startProxy(judge?: EngineProxy['judge']): Promise<EngineProxy> {
  return startProxyTo(openSearchUrl(), judge);
}
