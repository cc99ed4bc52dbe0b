import type { PublicView } from './story-line.ts';

interface Compliance {
  readonly status: string;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly streak_days: number;
  readonly verified_badges: readonly {
    readonly role: string;
    readonly verified_protocol_version: string;
    readonly verification_modes: readonly string[];
  }[];
}

/** Asks the HTTP API what everybody may know of an agent: the compliance operation, and the picture of a badge. */
export async function askRegistry(origin: string, agent: string, role: string): Promise<PublicView> {
  const base = `${origin}/api/registry/agents/${encodeURIComponent(agent)}`;
  const said = (await (await fetched(`${base}/compliance`)).json()) as Compliance;
  const picture = await (await fetched(`${base}/badge/${role}.svg`)).text();
  return {
    status: said.status,
    storyboardsPassing: said.storyboards_passing,
    storyboardsTotal: said.storyboards_total,
    streakDays: said.streak_days,
    badges: said.verified_badges.map(
      ({ role: name, verified_protocol_version: line, verification_modes: modes }) =>
        `${name} ${line} ${modes.join(', ')}`,
    ),
    picture: /<title[^<>]*>([^<]*)<\/title>/.exec(picture)?.[1] ?? '',
  };
}

interface Step {
  readonly storyboard_id: string;
  readonly phase_id: string;
  readonly step_id: string;
  readonly result: string;
  readonly checks: readonly {
    readonly result: string;
    readonly expected?: unknown;
    readonly actual?: unknown;
  }[];
}

/** The first step of a run that failed, in a few words, as its owner reads it over HTTP. Undefined when none did. */
export async function askWhy(
  origin: string,
  agent: string,
  run: string,
  key: string,
): Promise<string | undefined> {
  const url = `${origin}/api/registry/agents/${encodeURIComponent(agent)}/compliance/runs/${run}`;
  const answer = await fetched(url, { authorization: `Bearer ${key}` });
  const { report } = (await answer.json()) as { readonly report: { readonly steps: readonly Step[] } | null };
  const step = report?.steps.find(({ result }) => result === 'fail');
  const check = step?.checks.find(({ result }) => result === 'fail');
  if (step === undefined || check === undefined) return undefined;
  const came = JSON.stringify(check.actual) ?? 'nothing';
  return `${step.storyboard_id}/${step.phase_id}/${step.step_id} expected ${JSON.stringify(check.expected)}, received ${came}`;
}

async function fetched(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`the registry answered ${answer.status} at ${url}`);
  return answer;
}
