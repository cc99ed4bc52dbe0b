import { describeAgentIndex } from '../../contract/agent-index.ts';
import { openFresh } from './support.ts';

describeAgentIndex('OpenSearch', openFresh, { numRuns: 25 });
