import type { Records } from '../../ports/records.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import { type BundlePlan, type Declared, type Offer, planBundles } from './choose.ts';

interface AgentSources {
  readonly agents: Pick<Records['agents'], 'facts'>;
  readonly bundles: Pick<Records['bundles'], 'list'>;
}

interface BundlesOfAgent {
  readonly declared: Declared;
  readonly installed: readonly Offer[];
  readonly plan: BundlePlan;
}

/** The bundles that an agent is tested with, by what it declared in its latest run, or at its last good probe if that run could not read it. */
export async function bundlesOfAgent(
  { agents, bundles }: AgentSources,
  agent: string,
  { settings, standing }: Pick<ComplianceState, 'settings' | 'standing'>,
  fallback: string,
): Promise<BundlesOfAgent> {
  const verdict = standing.latest?.verdict;
  const declared =
    verdict?.declared_versions === undefined
      ? await declaredToProbe(agents, agent)
      : { versions: verdict.declared_versions, vocabulary: verdict.vocabulary };
  const installed = await bundles.list();
  return {
    ...{ declared, installed },
    plan: planBundles({ declared, installed, target: settings.complianceTarget, fallback }),
  };
}

async function declaredToProbe(agents: AgentSources['agents'], agent: string): Promise<Declared> {
  const [facts] = await agents.facts([agent]);
  const exposed = facts?.lastGood?.exposed;
  return { versions: exposed?.supportedVersions ?? [], vocabulary: exposed?.vocabulary };
}
