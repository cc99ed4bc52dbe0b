import type { TaskResponses, WebhookPayload } from '@agent-registry/surface/agent-kit';
import { paint, printLine, visible } from '@agent-registry/surface/command-line';
import type { CampaignOutcome } from '../buying/plan.ts';
import type { KeptStep } from '../buying/walk.ts';

/** What a step came to, in a few words. */
type Sentence = (response: never) => string;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  brand_identity: (identity: TaskResponses['get_brand_identity']) =>
    `${identity.name ?? identity.brand_id}: ${Object.keys(identity.colors ?? {}).join(', ')}; ${identity.logos?.length ?? 0} logos`,
  governance_plan: ({ plans }: TaskResponses['sync_plans']) =>
    plans.map(({ plan_id, action, version }) => `${plan_id} ${action}, version ${version}`).join('; '),
  account: ({ accounts }: TaskResponses['sync_accounts']) =>
    accounts.map(({ account_id, status }) => `${account_id}: ${status}`).join('; '),
  brief: ({ products }: TaskResponses['get_products']) => productsOf(products),
  refine: ({ products, refinement_applied: applied }: TaskResponses['get_products']) =>
    `${productsOf(products)} (${(applied ?? []).map(({ status }) => status).join(', ')})`,
  creative: creativeSentence,
  creative_refined: creativeSentence,
  creative_synced: ({ creatives }: TaskResponses['sync_creatives']) =>
    creatives.map(({ creative_id, action, status }) => `${creative_id} ${action}, ${status}`).join('; '),
  approval: ({ decision, reason }: TaskResponses['check_governance']) => `${decision}: ${reason}`,
  media_buy: ({ media_buy_id, status, total_budget: total }: TaskResponses['create_media_buy']) =>
    `${media_buy_id} for ${total?.amount} ${total?.currency}: ${status}`,
  webhook: ({ keyid, payload }: { keyid: string; payload: WebhookPayload }) =>
    `${payload.previous_status} → ${payload.status}, verified by ${keyid}`,
  sandbox_clock: timeSentence,
  first_day: timeSentence,
  second_day: timeSentence,
  events: ({ events_received: received, events_processed: processed }: TaskResponses['log_event']) =>
    `${received} received, ${processed} processed`,
  delivery: deliverySentence,
  delivery_again: deliverySentence,
  feedback: ({ packages }: TaskResponses['provide_performance_feedback']) =>
    `pacing is now ${(packages ?? []).map(({ pacing_index }) => pacing_index).join(', ')}`,
  audit_log: ({ entries, intact }: TaskResponses['get_plan_audit_logs']) =>
    `${entries.map(({ action }) => action).join(', ')}; the hash chain is ${intact === true ? 'intact' : 'broken'}`,
};

const NAME_WIDTH = 16;
const TASK_WIDTH = 30;

/** One line for each step as it is done. The texts are strangers' and are shown, not obeyed. */
export function printStep({ name, task, response }: KeptStep): void {
  const sentence = SENTENCES[name] as ((response: object) => string) | undefined;
  const text = response === undefined ? '' : (sentence?.(response) ?? '');
  printLine(`${name.padEnd(NAME_WIDTH)} ${paint('dim', task.padEnd(TASK_WIDTH))} ${visible(text)}`);
}

/** What the campaign came to. */
export function printCampaignEnd({ mediaBuyId, delivery, auditEntries, intact }: CampaignOutcome): void {
  const { impressions, clicks, spend } = delivery;
  const delivered = `${impressions.toLocaleString('en-GB')} impressions, ${clicks} clicks, ${spend.amount} ${spend.currency} spent`;
  const log = `${auditEntries} entries in the audit log, which is ${intact ? 'intact' : 'not intact'}`;
  printLine(visible(`${mediaBuyId}: ${delivered}; ${log}`));
}

function productsOf(products: TaskResponses['get_products']['products']): string {
  return `${products.length} products, best ${products[0]?.name ?? 'none'}`;
}

function creativeSentence({
  creative_manifests: manifests,
  iteration,
}: TaskResponses['build_creative']): string {
  const texts = manifests.flatMap(({ assets }) =>
    Object.values(assets).flatMap(({ content }) => content ?? []),
  );
  return `iteration ${iteration}: ${texts[0]?.slice(0, 80) ?? `${manifests.length} creatives`}`;
}

function timeSentence({ simulated }: TaskResponses['comply_test_controller']): string {
  return `simulated time of this buyer: ${String(simulated?.now)}`;
}

function deliverySentence({ impressions, clicks, spend }: TaskResponses['get_media_buy_delivery']): string {
  return `${impressions.toLocaleString('en-GB')} impressions, ${clicks} clicks, ${spend.amount} ${spend.currency}`;
}
