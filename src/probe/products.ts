import { isObject, type JsonObject } from '../base/json.ts';
import { withinBytes } from '../base/json-bytes.ts';
import { callByName, withConnection } from '../calling/connect.ts';
import type { TaskAnswer } from '../calling/connection.ts';
import { CallFailure } from '../calling/failure.ts';
import type { AgentProducts } from '../domain/lab-report.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';

/** The whole visit; the field's clients wait 10 s. */
const ASK_MS = 8_000;
/** Of all products that are told; clients read 256 KiB. */
const MAX_BYTES = 240 * 1024;
const MAX_PRODUCTS = 1_000;
/** Of what an agent says of its no. */
const MAX_SAID = 300;

/** The catalogue as it is; and for agents that sell by a brief only, a brief that wants nothing special. */
const QUESTIONS: readonly JsonObject[] = [
  { buying_mode: 'wholesale' },
  { buying_mode: 'brief', brief: 'all products' },
];

/**
 * Asks an agent for its products, without any credential: `get_products` reads only. Nothing leaves the origin of `url`, since
 * it is a stranger who asks. Never rejects for what the agent does.
 */
export function askProducts(
  url: string,
  fetcher: Fetcher,
  clock: Clock,
  signal?: AbortSignal,
): Promise<AgentProducts> {
  return withConnection(
    { url, fetcher, clock, deadlineMs: ASK_MS, ...(signal && { signal }) },
    async (connection) => {
      if (connection instanceof CallFailure) return { failure: connection.message };
      let said: AgentProducts = { failure: 'the agent was not asked' };
      for (const question of QUESTIONS) {
        const { answer } = await callByName(connection, 'get_products', question);
        said = productsOf(answer);
        if (answer.outcome !== 'refused') break;
      }
      return said;
    },
  );
}

function productsOf(answer: TaskAnswer): AgentProducts {
  if (answer.outcome === 'failed') return { failure: answer.failure.message };
  if (answer.outcome === 'refused')
    return { failure: `the agent refused: ${answer.error.code}`.slice(0, MAX_SAID) };
  const { products } = answer.data;
  if (!Array.isArray(products)) return { failure: 'the answer has no list of products' };
  const objects = products.filter(isObject);
  return { products: withinBytes(objects.slice(0, MAX_PRODUCTS), MAX_BYTES), count: products.length };
}
