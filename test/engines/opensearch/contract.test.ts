import { describeAgentIndex } from '../../contract/agent-index.ts';
import { openFresh } from './support.ts';

// Each run makes an index of its own. `agreement.test.ts` asks one index two hundred times as much as these.
describeAgentIndex('OpenSearch', openFresh, { numRuns: 15 });
