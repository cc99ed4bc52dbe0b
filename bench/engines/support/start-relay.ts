import { listBody } from '../../../src/index/opensearch/query.ts';
import { startSide } from '../../support/side.ts';
import type { RelayInput } from '../sides/relay-server.ts';
import type { ListSetting, MeasuredServer } from './list-setting.ts';
import type { Question } from './questions.ts';

/** Starts the bare handler; `/N` is the search of the N-th question. */
export function startRelay(
  { engine, timeoutMs }: ListSetting,
  asked: readonly Question[],
): Promise<MeasuredServer> {
  const searches = asked.map(({ query }) => JSON.stringify(listBody(query)));
  const input: RelayInput = { index: engine.url, target: engine.target, searches, timeoutMs };
  return startSide('engines/relay-server', input);
}
