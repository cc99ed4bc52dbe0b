import { defined } from '../../base/json.ts';
import type { FileSummary } from '../../discovery/check/summary.ts';
import { verdictInWords } from '../../discovery/check/summary-words.ts';
import type { FileCheck } from '../../discovery/check-file.ts';
import type { AuthorisationLimits } from '../../domain/declaration.ts';
import type { Finding } from '../../domain/finding.ts';

/** A finding as schemas/cli/finding.json has it. */
export function findingJson({ didYouMean, ...finding }: Finding): object {
  return { ...finding, ...defined({ did_you_mean: didYouMean }) };
}

/** A check of a file; follows schemas/cli/validate.json. */
export function checkJson(check: FileCheck): object {
  const { valid, kind, variant, agents, sellersNow, findings, trail, summary } = check;
  return {
    valid,
    verdict: verdictInWords(check),
    may_sell_now: kind === 'adagents' ? sellersNow : null,
    kind,
    variant: variant ?? null,
    agents,
    findings: findings.map(findingJson),
    summary: summaryJson(summary),
    trail,
    ...defined({ errors_left: check.errorsLeft }),
  };
}

function summaryJson({ basis, publishers, outOfTime, withoutEffect, agents, more }: FileSummary): object {
  return {
    basis,
    publishers: publishers.map(({ sellers, onlyIf, ...rest }) => ({
      ...rest,
      ...defined({ only_if: onlyIf }),
      sellers: sellers.map(({ limits, ...seller }) => ({ ...seller, limits: limitsJson(limits) })),
    })),
    out_of_time: outOfTime.map(({ limits, ...entry }) => ({ ...entry, limits: limitsJson(limits) })),
    without_effect: withoutEffect,
    agents,
    more,
  };
}

function limitsJson(limits: AuthorisationLimits): object {
  const time = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : new Date(at).toISOString();
  return {
    countries: limits.countries,
    collections: limits.collections?.flatMap(({ collectionIds }) => collectionIds),
    placement_ids: limits.placementIds,
    placement_tags: limits.placementTags,
    effective_from: time(limits.effectiveFrom),
    effective_until: time(limits.effectiveUntil),
    exclusive: limits.exclusive,
    delegation_type: limits.delegationType,
  };
}
