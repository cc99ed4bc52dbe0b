import type { FastifyInstance } from 'fastify';
import { selectStoryboards } from '../../compliance/run/selection.ts';
import type { BundledStoryboard } from '../../compliance/storyboards/needs.ts';
import type { LastGood } from '../../domain/agent-facts.ts';
import type { Records } from '../../ports/records.ts';
import { type AgentRequest, agentOf, queryText, refuseParameters } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';
import { type AppliesTo, appliesTo, storyboardSummary } from '../render/storyboards.ts';
import { describedBy, ENCODED_URL } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';
import type { StoryboardCatalogue } from './storyboards.ts';

const OPERATION = publicReading({
  operationId: 'getApplicableStoryboards',
  summary: 'List the storyboards that apply to an agent',
  description:
    'Of the bundle that the agent is tested with, selected by the capabilities that it declared at the last probe; this request does not contact the agent. Tests require the consent of the owner.',
  parameters: [ENCODED_URL],
  answers: 'The response is the same for every caller.',
  schema: 'ApplicableStoryboards',
  isOfAgent: true,
});

interface ApplicableParts {
  readonly records: Pick<Records, 'agents' | 'compliance'>;
  readonly storyboards: StoryboardCatalogue;
}

/** An agent declares a handful; more are not shown. */
const MOST_NAMES = 100;

/** GET …/applicable-storyboards: by the rule that a run selects with. */
export function applicableStoryboardsOperation(
  server: FastifyInstance,
  { records, storyboards }: ApplicableParts,
): void {
  const path = '/api/registry/agents/:encodedUrl/applicable-storyboards';
  server.get(path, describedBy(OPERATION), async (request: AgentRequest, reply) => {
    const agent = agentOf(request.params.encodedUrl);
    refuseParameters(queryText(request), 'the applicable storyboards');
    const [facts] = await records.agents.facts([agent]);
    if (facts === undefined) throw unknownAgent('encodedUrl');
    const state = await records.compliance.state(agent);
    if (state === undefined) throw unknownAgent('encodedUrl');
    const { lastGood } = facts;
    const { target, version, storyboards: all } = await storyboards.forAgent(agent, state);
    const selected = selectedFor(all, lastGood);
    return sendBody(request, reply, {
      ...{ agent_url: agent, requested_compliance_target: target, adcp_version: version },
      agent_name: lastGood?.exposed.name ?? facts.registration?.name ?? new URL(agent).host,
      ...declaredBy(lastGood),
      ...(lastGood === undefined && {
        capabilities_probe_error: 'the capabilities of this agent have not been read yet',
      }),
      bundles: bundlesOf(selected),
      total_storyboards: selected.length,
    });
  });
}

function declaredBy(lastGood: LastGood | undefined) {
  return {
    supported_protocols: lastGood?.exposed.supportedProtocols.slice(0, MOST_NAMES) ?? [],
    specialisms: lastGood?.exposed.specialisms.slice(0, MOST_NAMES) ?? [],
  };
}

/** Tools and capabilities, by which a run skips one as a whole, are not kept: they change what comes of it and not which they are. */
function selectedFor(
  storyboards: readonly BundledStoryboard[],
  lastGood: LastGood | undefined,
): readonly BundledStoryboard[] {
  const agent = {
    ...{ protocol: 'mcp' as const, endpoint: '', supported_versions: [] },
    ...{ sandbox: false, test_controller: false, tools_count: 0 },
    ...declaredBy(lastGood),
  };
  const nothing = { tools: new Set<string>(), capabilities: {}, only: [], tracks: [] };
  const { selected } = selectStoryboards({ storyboards, agent, ...nothing });
  const ids = new Set(selected.map(({ storyboard }) => storyboard.id));
  return storyboards.filter(({ storyboard }) => ids.has(storyboard.id));
}

function bundlesOf(storyboards: readonly BundledStoryboard[]): readonly object[] {
  const nameOf = ({ kind, id }: AppliesTo) => `${kind} ${id}`;
  const groups = Map.groupBy(storyboards, (one) => nameOf(appliesTo(one)));
  return [...groups.values()].map((group) => ({
    ...group.map(appliesTo)[0],
    storyboards: group.map(storyboardSummary).map(({ id, title, summary, step_count }) => ({
      ...{ id, title, summary, step_count },
    })),
  }));
}
