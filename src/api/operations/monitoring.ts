import type { FastifyInstance } from 'fastify';
import { isObject } from '../../base/json.ts';
import { isActive } from '../../domain/badge.ts';
import type { AgentSettings } from '../../domain/compliance.ts';
import type { Records } from '../../ports/records.ts';
import type { SettingsTimes } from '../../records/owners/agent-settings.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { refuseOthers } from '../body.ts';
import type { Operation } from '../operation.ts';
import { keyActor, notOwner, requireOwner } from '../owner-only.ts';
import type { AgentRequest } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { nextRunTime } from '../render/agent-settings.ts';
import type { SchemaName } from '../schema-names.ts';
import { ownerOperation, problemAnswer, scopedBy } from './description.ts';
import { changeSettings, SETTINGS_MEMBERS, type SettingsParts } from './settings.ts';
import { askForRun } from './start-run/ask-for-run.ts';

const BASE = '/api/registry/agents/:encodedUrl';
/** More than any change can have, bytes. */
const MAX_BODY = 4_096;

interface FieldChange {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** The one field of the body, and its setting. */
  readonly member: string;
  readonly setting: keyof typeof SETTINGS_MEMBERS;
  readonly schema: { readonly examples: readonly unknown[]; readonly [keyword: string]: unknown };
  readonly answers: Extract<SchemaName, 'MonitoringSettings' | 'AgentLifecycle'>;
}

const BOOLEAN = { type: 'boolean', examples: [false] };
const CHANGES: readonly FieldChange[] = [
  {
    path: 'monitoring/pause',
    ...{
      operationId: 'updateAgentMonitoringPause',
      summary: 'Pause or resume tests of an agent that you own',
    },
    ...{ member: 'paused', setting: 'monitoring_paused', schema: BOOLEAN, answers: 'MonitoringSettings' },
  },
  {
    path: 'monitoring/interval',
    ...{
      operationId: 'updateAgentMonitoringInterval',
      summary: 'Set how often an agent that you own is tested',
    },
    ...{ member: 'interval_hours', setting: 'check_interval_hours', answers: 'MonitoringSettings' },
    schema: { type: 'integer', minimum: 6, maximum: 168, examples: [12] },
  },
  {
    path: 'compliance/opt-out',
    ...{
      operationId: 'updateAgentComplianceOptOut',
      summary: 'Opt an agent that you own out of tests, or back in',
    },
    ...{ member: 'opt_out', setting: 'compliance_opt_out', schema: BOOLEAN, answers: 'AgentLifecycle' },
  },
  {
    path: 'lifecycle',
    ...{ operationId: 'updateAgentLifecycle', summary: 'Set the lifecycle stage of an agent that you own' },
    ...{ member: 'lifecycle_stage', setting: 'lifecycle_stage', answers: 'AgentLifecycle' },
    schema: { enum: ['development', 'testing', 'production', 'deprecated'], examples: ['production'] },
  },
];

function changeOperation({ operationId, summary, member, schema, answers }: FieldChange): Operation {
  const body = {
    type: 'object',
    required: [member],
    additionalProperties: false,
    properties: { [member]: schema },
    examples: schema.examples.map((value) => ({ [member]: value })),
  };
  return ownerOperation(operationId, summary, answers, {
    description: 'The same as `PATCH …/settings`, with the names that clients of this protocol use.',
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
  });
}

const READ = ownerOperation(
  'getAgentMonitoringSettings',
  'Get the test schedule of an agent that you own',
  'MonitoringSettings',
);
const REQUEUED = ownerOperation(
  'requeueAgentForHeartbeat',
  'Start a test of an agent that you own',
  'Requeued',
  {
    description:
      'The same as `POST …/compliance/runs`; `requeued` is false if a run is already queued or running.',
  },
);
const REQUEUE = {
  ...REQUEUED,
  responses: { ...REQUEUED.responses, 409: problemAnswer('The owner has opted out of tests.') },
};

export interface MonitoringParts extends SettingsParts {
  readonly records: Pick<Records, 'owners' | 'compliance' | 'agents' | 'runs'>;
}

/**
 * An owner's settings and runs on demand under the paths that clients of this protocol use: …/monitoring/settings, pause,
 * interval and requeue, …/compliance/opt-out and …/lifecycle. Everyone but the verified owner gets the same 404.
 */
export function monitoringOperations(server: FastifyInstance, parts: MonitoringParts): void {
  const { owners, compliance } = parts.records;
  server.get(`${BASE}/monitoring/settings`, scopedBy('read', READ), async (request: AgentRequest, reply) => {
    const { agent } = await requireOwner(owners, request, reply, 'the monitoring settings');
    const settings = await owners.settings(agent);
    if (settings === undefined) throw notOwner();
    const body = Buffer.from(
      JSON.stringify(monitoring(settings, await owners.settingsTimes(agent), await compliance.state(agent))),
    );
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
  for (const change of CHANGES) {
    const options = { ...scopedBy('settings', changeOperation(change)), bodyLimit: MAX_BODY };
    server.put(`${BASE}/${change.path}`, options, async (request: AgentRequest, reply) => {
      const asked = await requireOwner(owners, request, reply, change.path);
      const before = await compliance.state(asked.agent);
      const settings = await changeSettings(asked, readChange(request.body, change), parts);
      const times = await owners.settingsTimes(asked.agent);
      reply.type('application/json; charset=utf-8');
      const state = await compliance.state(asked.agent);
      if (change.answers === 'MonitoringSettings') return reply.send(monitoring(settings, times, state));
      const badges = state?.badges ?? [];
      const had = badges.length > 0 ? badges : (before?.badges ?? []); // an opt-out hides those that it revokes
      return reply.send({
        agent_url: asked.agent,
        lifecycle_stage: settings.lifecycleStage,
        compliance_opt_out: settings.optedOut,
        badge_requalification_required: had.length > 0 && !badges.some(isActive),
        ...monitoring(settings, times, state),
        created_at: new Date(times.decidedAt ?? asked.owner.provenAt).toISOString(),
        updated_at: new Date(times.changedAt ?? asked.owner.provenAt).toISOString(),
      });
    });
  }
  server.post(
    `${BASE}/monitoring/requeue`,
    scopedBy('runs', REQUEUE),
    async (request: AgentRequest, reply) => {
      const { agent, viewer } = await requireOwner(owners, request, reply, 'starting a test');
      const { isNew } = await askForRun(agent, { actor: keyActor(viewer), trigger: 'owner_test' }, parts);
      return reply.type('application/json; charset=utf-8').send({ requeued: isNew });
    },
  );
}

function readChange(body: unknown, { member, setting }: FieldChange) {
  if (!isObject(body) || !Object.hasOwn(body, member))
    throw new HttpProblem('bad_request', `send a JSON object with the field ${member}`);
  refuseOthers(body, [member]);
  return SETTINGS_MEMBERS[setting](member, body[member]);
}

function monitoring(
  { monitoringPaused, checkIntervalHours }: AgentSettings,
  { pausedAt }: SettingsTimes,
  state: ComplianceState | undefined,
): object {
  return {
    monitoring_paused: monitoringPaused,
    check_interval_hours: checkIntervalHours,
    monitoring_paused_at: pausedAt === undefined ? null : new Date(pausedAt).toISOString(),
    next_run_at: nextRunTime(state?.due ?? null),
  };
}
