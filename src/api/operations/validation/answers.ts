import { defined } from '../../../base/json.ts';
import type { FileQuestion, FileReport } from '../../../discovery/file-checks.ts';
import { wellKnownUrl } from '../../../domain/domain-name.ts';
import { checkJson } from '../../render/file-check.ts';
import type { VisitState } from '../../render/visit-state.ts';
import { discoveryMethod, timeText } from '../graph/reading.ts';
import type { KeptReport } from './bounded-checks.ts';

/** The answer to a validation, as both clients of the field read it, with our whole report beside. */
export function validationAnswer(question: FileQuestion, { at, report }: KeptReport): object {
  const { domain = '', text } = question;
  return {
    success: true,
    data: {
      domain,
      found: text !== undefined || report.source !== undefined,
      validation: fieldVerdict(question, report),
      report: reportJson(report),
    },
    timestamp: timeText(at),
  };
}

/** A verdict in the field's words. */
export function fieldVerdict(
  { domain }: Pick<FileQuestion, 'domain'>,
  { kind, valid, findings, trail, source }: FileReport,
) {
  const url = domain === undefined ? '' : wellKnownUrl(domain, kind);
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  return {
    valid,
    errors: findings
      .filter(({ severity }) => severity === 'error')
      .map(({ pointer, message }) => ({ field: pointer, message, severity: 'error' })),
    warnings: warnings.map(({ pointer, message, hint }) => ({
      ...{ field: pointer, message },
      ...defined({ suggestion: hint }),
    })),
    ...{ domain: domain ?? '', url },
    ...defined({ status_code: trail.findLast(({ status }) => status !== undefined)?.status }),
    ...(source && { response_bytes: source.bytes }),
    ...(source && source.url !== url && { resolved_url: source.url }),
    discovery_method: discoveryMethod(source?.via ?? 'own'),
    ...defined({ manager_domain: source?.manager }),
  };
}

function reportJson(report: FileReport): object {
  return {
    ...checkJson(report),
    ...defined({ fixed: report.fixed }),
    ...(report.isCut && { truncated: true }),
  };
}

/** The summary for a publisher; `visit` is the state of the registry's own crawl of the file. */
export function publisherAnswer(domain: string, { at, report }: KeptReport, visit: VisitState): object {
  const { inventory = { properties: 0, byType: {}, tags: 0 } } = report;
  const { url, resolved_url, ...verdict } = fieldVerdict({ domain }, report);
  return {
    valid: report.valid,
    domain,
    url: resolved_url ?? url,
    discovery_method: verdict.discovery_method,
    ...defined({ manager_domain: verdict.manager_domain }),
    agent_count: report.agents.length,
    property_count: inventory.properties,
    property_type_counts: inventory.byType,
    tag_count: inventory.tags,
    errors: sentences(verdict.errors),
    warnings: sentences(verdict.warnings),
    report: reportJson(report),
    visit,
    timestamp: timeText(at),
  };
}

/** Whether a domain's adagents.json is valid, in short. */
export function propertyAnswer(domain: string, { at, report }: KeptReport): object {
  const { url, resolved_url, ...verdict } = fieldVerdict({ domain }, report);
  return {
    valid: report.valid,
    domain,
    url: resolved_url ?? url,
    errors: sentences(verdict.errors),
    warnings: sentences(verdict.warnings),
    ...defined({ status_code: verdict.status_code }),
    timestamp: timeText(at),
  };
}

function sentences(findings: readonly { readonly field: string; readonly message: string }[]) {
  return findings.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
}
