import type { FastifyInstance } from 'fastify';
import { isObject } from '../../base/json.ts';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import { decideChange } from '../../compliance/decide.ts';
import {
  ACCOUNT_ID_FORM,
  type AgentSettings,
  INTERVAL_HOURS,
  LIFECYCLE_STAGES,
  type LifecycleStage,
  type SettingsChange,
  TARGET_FORM,
} from '../../domain/compliance.ts';
import { DOMAIN_PROBLEMS, parseDomain } from '../../domain/domain-name.ts';
import type { Owner } from '../../domain/ownership.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { refuseOthers } from '../body.ts';
import { invalidKey } from '../callers.ts';
import { keyActor, notOwner, type OwnerRequest, requireOwner } from '../owner-only.ts';
import type { AgentRequest } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { agentSettings } from '../render/agent-settings.ts';
import {
  answer,
  CACHE_CONTROL,
  ENCODED_URL,
  ETAG,
  header,
  IF_NONE_MATCH,
  jsonBody,
  NOT_MODIFIED,
  problemAnswer,
  problems,
  scopedBy,
} from './description.ts';

type Read = (name: string, value: unknown) => SettingsChange;

/** The fields of a change, by their names on the wire; an error names the field as it was sent. */
export const SETTINGS_MEMBERS = {
  compliance_opt_out: (name, value) => ({ optedOut: boolean(name, value) }),
  monitoring_paused: (name, value) => ({ monitoringPaused: boolean(name, value) }),
  check_interval_hours: (name, value) => ({ checkIntervalHours: hours(name, value) }),
  lifecycle_stage: (name, value) => ({ lifecycleStage: stage(name, value) }),
  compliance_target: (name, value) => ({
    complianceTarget: value === null ? null : complianceTarget(name, value),
  }),
  test_setup: (name, value) => ({ testSetup: value === null ? null : testSetup(name, value) }),
} as const satisfies Readonly<Record<string, Read>>;

const SETTINGS_PATH = '/api/registry/agents/:encodedUrl/settings';

const VARY = header('Authorization, for every viewer.');

const NOT_YOURS = problemAnswer(
  'The caller is not the verified owner of the agent; the same for every agent.',
);

// A key is needed: without one the answer is the 404 of every caller who is not the owner.
const SECURITY = [{ apiKey: [] }];

const READ = {
  operationId: 'getAgentSettings',
  summary: 'Get the settings of an agent that you own',
  security: SECURITY,
  parameters: [ENCODED_URL, IF_NONE_MATCH],
  responses: {
    200: answer('The settings.', 'AgentSettings', {
      ETag: ETAG,
      'Cache-Control': CACHE_CONTROL,
      Vary: VARY,
    }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
    404: NOT_YOURS,
  },
};

const CHANGE = {
  operationId: 'changeAgentSettings',
  summary: 'Change the settings of an agent that you own',
  description: 'Fields that are not sent keep their value. Recorded in the audit log.',
  security: SECURITY,
  parameters: [ENCODED_URL],
  requestBody: jsonBody('AgentSettingsChange'),
  responses: {
    200: answer('The settings after the change.', 'AgentSettings', { Vary: VARY }),
    ...problems(400, 401, 429, 500, 503),
    404: NOT_YOURS,
    413: problemAnswer('The body is too large.'),
  },
};

export interface SettingsParts {
  readonly records: Pick<Records, 'owners' | 'compliance'>;
  readonly clock: Clock;
  /** Updates the list after a change; resolves when that is done, or after the time that a caller should wait. */
  readonly onChanged?: () => Promise<void>;
  /** Which memberships grant badges; absent: the default tiers. */
  readonly tiers?: TierTable;
}

const OPERATION = 'the settings operation';

/** More than any change can have, bytes. */
const MAX_BODY = 4_096;

/**
 * GET and PATCH /api/registry/agents/{encodedUrl}/settings, for the key of the agent's verified owner. Everyone else gets
 * the same 404, also for an agent without an owner and for an unknown one.
 */
export function settingsOperations(server: FastifyInstance, parts: SettingsParts): void {
  const { owners, compliance } = parts.records;
  const shownSettings = async (agent: string, owner: Owner, settings: AgentSettings) =>
    agentSettings(agent, owner, settings, (await compliance.state(agent))?.due ?? null);
  server.get(SETTINGS_PATH, scopedBy('read', READ), async (request: AgentRequest, reply) => {
    const { agent, owner } = await requireOwner(owners, request, reply, OPERATION);
    const settings = await owners.settings(agent);
    if (settings === undefined) throw notOwner();
    const body = Buffer.from(JSON.stringify(await shownSettings(agent, owner, settings)));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
  server.patch(
    SETTINGS_PATH,
    { ...scopedBy('settings', CHANGE), bodyLimit: MAX_BODY },
    async (request: AgentRequest, reply) => {
      const asked = await requireOwner(owners, request, reply, OPERATION);
      const settings = await changeSettings(asked, readSettings(request.body), parts);
      return reply
        .type('application/json; charset=utf-8')
        .send(await shownSettings(asked.agent, asked.owner, settings));
    },
  );
}

/** Changes the settings, then updates badges, the next run and the list. Throws HttpProblems. */
export async function changeSettings(
  { agent, viewer }: OwnerRequest,
  change: SettingsChange,
  { records, clock, onChanged, tiers }: SettingsParts,
): Promise<AgentSettings> {
  const outcome = await records.owners.changeSettings(
    { agent, change, actor: keyActor(viewer) },
    clock.now(),
  );
  if (!outcome.ok) throw outcome.reason === 'key_revoked' ? invalidKey() : notOwner();
  if (outcome.changed) {
    const now = clock.now();
    await records.compliance.reconsider(agent, decideChange({ now, ...(tiers && { tiers }) }), now);
    await onChanged?.();
  }
  return outcome.settings;
}

/** Reads the body of a change: one or more fields; the others keep their value (as in RFC 7396). Throws HttpProblems. */
function readSettings(body: unknown): SettingsChange {
  if (!isObject(body)) throw nothingToChange();
  const entries = Object.entries(body);
  if (entries.length === 0) throw nothingToChange();
  return Object.assign({}, ...entries.map(([name, value]) => readMember(name, value)));
}

/** Reads a field of a change by its name on the wire. Throws HttpProblems. */
export function readMember(name: string, value: unknown): SettingsChange {
  const read = Object.hasOwn(SETTINGS_MEMBERS, name)
    ? SETTINGS_MEMBERS[name as keyof typeof SETTINGS_MEMBERS]
    : undefined;
  if (read !== undefined) return read(name, value);
  throw new HttpProblem('unknown_parameter', 'unknown setting', {
    parameter: name.slice(0, 100),
    validValues: Object.keys(SETTINGS_MEMBERS),
  });
}

function boolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidValue(name, 'true or false is expected', ['true', 'false']);
}

function hours(name: string, value: unknown): number {
  const { min, max } = INTERVAL_HOURS;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw invalidValue(name, `a whole number of hours from ${min} to ${max} is expected`);
}

function stage(name: string, value: unknown): LifecycleStage {
  const known = LIFECYCLE_STAGES.find((one) => one === value);
  if (known !== undefined) return known;
  throw invalidValue(name, `one of ${LIFECYCLE_STAGES.join(', ')} is expected`, LIFECYCLE_STAGES);
}

/** A version or a label by its form; the bundles that it can stand for are known to those who run tests. Throws HttpProblems. */
export function complianceTarget(name: string, value: unknown): string {
  if (typeof value === 'string' && TARGET_FORM.test(value)) return value;
  throw invalidValue(
    name,
    'a version or a label is expected, such as "3.1", "3.0.26" or "stable": 1 to 64 letters, digits, dots and hyphens',
  );
}

/** Null clears one of them. */
function testSetup(name: string, value: unknown): NonNullable<SettingsChange['testSetup']> {
  if (!isObject(value) || Object.keys(value).length === 0)
    throw invalidValue(name, 'an object with operator, brand or account is expected, or null to clear all');
  refuseOthers(value, ['operator', 'brand', 'account'], `${name}.`);
  const { operator, brand, account } = value;
  return {
    ...(operator !== undefined && {
      operator: operator === null ? null : domain(`${name}.operator`, operator),
    }),
    ...(brand !== undefined && {
      brand:
        brand === null
          ? null
          : { domain: domain(`${name}.brand.domain`, only(`${name}.brand`, brand, 'domain')) },
    }),
    ...(account !== undefined && {
      account: account === null ? null : { account_id: accountId(`${name}.account`, account) },
    }),
  };
}

function domain(name: string, value: unknown): string {
  if (typeof value !== 'string')
    throw invalidValue(name, 'a domain name is expected, such as "desk.example"');
  const parsed = parseDomain(value);
  if (parsed.ok) return parsed.domain;
  throw invalidValue(name, `${DOMAIN_PROBLEMS[parsed.problem]}; use a domain name such as "desk.example"`);
}

function accountId(name: string, value: unknown): string {
  const id = only(name, value, 'account_id');
  if (typeof id === 'string' && ACCOUNT_ID_FORM.test(id)) return id;
  throw invalidValue(
    `${name}.account_id`,
    'the id of an account at the agent is expected: 1 to 255 printable ASCII characters without spaces around them',
  );
}

/** The one field of an object. */
function only(name: string, value: unknown, field: string): unknown {
  if (!isObject(value)) throw invalidValue(name, `an object with the field ${field} is expected`);
  refuseOthers(value, [field], `${name}.`);
  return value[field];
}

function nothingToChange(): HttpProblem {
  return new HttpProblem(
    'bad_request',
    `send a JSON object with one or more of ${Object.keys(SETTINGS_MEMBERS).join(', ')}`,
  );
}
