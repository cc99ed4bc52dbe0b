import { describeAgentIndex } from '../../contract/agent-index.ts';
import { openFresh } from './support.ts';

// Each run makes an index of its own. `agreement.test.ts` asks one that is there for two hundred filters and texts more.
describeAgentIndex('OpenSearch', openFresh, { numRuns: 15 });
