import { INTERVAL_HOURS, type SettingsChange } from '../domain/agent-settings.ts';
import { LIFECYCLE_STAGES, type LifecycleStage } from '../domain/compliance.ts';
import { HttpProblem } from './problem.ts';

type Read = (name: string, value: unknown) => SettingsChange;

/** The members that a change may have, by their names on the wire. */
const MEMBERS: Readonly<Record<string, Read>> = {
  compliance_opt_out: (name, value) => ({ optedOut: boolean(name, value) }),
  monitoring_paused: (name, value) => ({ monitoringPaused: boolean(name, value) }),
  check_interval_hours: (name, value) => ({ checkIntervalHours: hours(name, value) }),
  lifecycle_stage: (name, value) => ({ lifecycleStage: stage(name, value) }),
};

/** Reads the body of a change: one or more members, the others stay as they are (as in RFC 7396). Throws HttpProblems. */
export function readSettings(body: unknown): SettingsChange {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw nothingToChange();
  const entries = Object.entries(body);
  if (entries.length === 0) throw nothingToChange();
  return Object.assign({}, ...entries.map(([name, value]) => readMember(name, value)));
}

function readMember(name: string, value: unknown): SettingsChange {
  const read = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
  if (read !== undefined) return read(name, value);
  throw new HttpProblem('unknown_parameter', 'there is no such setting', {
    parameter: name.slice(0, 100),
    validValues: Object.keys(MEMBERS),
  });
}

function boolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(name, 'true or false is expected', ['true', 'false']);
}

function hours(name: string, value: unknown): number {
  const { min, max } = INTERVAL_HOURS;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw invalid(name, `a whole number of hours from ${min} to ${max} is expected`);
}

function stage(name: string, value: unknown): LifecycleStage {
  const known = LIFECYCLE_STAGES.find((one) => one === value);
  if (known !== undefined) return known;
  throw invalid(name, `one of ${LIFECYCLE_STAGES.join(', ')} is expected`, LIFECYCLE_STAGES);
}

function invalid(parameter: string, detail: string, validValues?: readonly string[]): HttpProblem {
  return new HttpProblem('invalid_value', detail, { parameter, ...(validValues && { validValues }) });
}

function nothingToChange(): HttpProblem {
  return new HttpProblem(
    'bad_request',
    `send a JSON object with one or more of ${Object.keys(MEMBERS).join(', ')}`,
  );
}
