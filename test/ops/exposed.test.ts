import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/ops/metrics.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const METRICS = createMetrics({ version: '1.2.3', process: true }).list();
const EXPOSED = new Map(METRICS.map(({ name, labels }) => [name, labels]));
const HISTOGRAMS = new Set(METRICS.filter(({ isHistogram }) => isHistogram).map(({ name }) => name));
/** Set by whoever scrapes, or by PromQL itself. */
const OUTSIDE_LABELS = ['job', 'instance', 'le'];

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('docs/reference/metrics.md', () => {
  const rows = [...text('docs/reference/metrics.md').matchAll(/^\| `([a-z_0-9]+)` \| (.*?) \|/gm)];
  const documented = new Map(rows.map(([, name = '', labels = '']) => [name, labelsIn(labels)]));

  it('has each metric that there is once, and no other', () => {
    expect(rows.map(([, name]) => name).toSorted()).toEqual([...EXPOSED.keys()].toSorted());
  });

  it('has the labels of each metric', () => {
    for (const [name, labels] of EXPOSED) expect(documented.get(name), name).toEqual(labels);
  });

  it('names only runbooks and files that there are', () => {
    const runbooks = [...text('docs/reference/metrics.md').matchAll(/runbooks\/[a-z-]+\.md/g)].map(
      ([path]) => `docs/operating/${path}`,
    );
    for (const path of [
      ...runbooks,
      'deploy/monitoring/alerts.yml',
      'deploy/monitoring/grafana-dashboard.json',
    ])
      expect(() => text(path), path).not.toThrow();
  });
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

describe('the dashboard', () => {
  const dashboard = JSON.parse(text('deploy/monitoring/grafana-dashboard.json')) as Dashboard;
  const charts = dashboard.panels.filter(({ type }) => type !== 'row');

  it('asks only for metrics and labels that there are', () => {
    for (const { title, targets = [] } of charts) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr } of targets) expect(unknownIn(expr), `${title}: ${expr}`).toEqual([]);
    }
  });

  it('would be caught asking for others', () => {
    expect(unknownIn('sum by (colour) (rate(registry_visits_total{kind="x",size="1"}[5m]))')).toEqual([
      'size',
      'colour',
    ]);
    expect(unknownIn('registry_visit_total')).toEqual(['registry_visit_total']);
    expect(unknownIn('registry_visits_total_bucket')).toEqual(['registry_visits_total_bucket']);
  });

  it('shows every metric of our own that an operator acts on', () => {
    const shown = charts.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
    const own = [...EXPOSED.keys()].filter((name) => name.startsWith('registry_'));
    expect(own.filter((name) => !shown.includes(name))).toEqual(['registry_job_batch_size']);
  });

  it('takes its source from a variable, has one id a panel, and no panel over another', () => {
    expect(dashboard.templating.list.map(({ name }) => name)).toContain('datasource');
    for (const { datasource, title } of charts) expect(datasource?.uid, title).toMatch(/^\$\{datasource\}$/);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe('the alarm rules', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly annotations: Readonly<Record<string, string>>;
  }
  const groups = (parse(text('deploy/monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups;
  const rules = groups.flatMap((group) => group.rules);

  it('watch only metrics and labels that there are', () => {
    expect(rules.length).toBeGreaterThan(0);
    for (const { alert, expr } of rules) expect(unknownIn(expr), `${alert}: ${expr}`).toEqual([]);
  });

  it('say what to do, by a runbook that there is', () => {
    for (const { alert, annotations } of rules) {
      const runbook = /docs\/operating\/runbooks\/[a-z-]+\.md/.exec(
        Object.values(annotations).join(' '),
      )?.[0];
      expect(runbook, alert).toBeDefined();
      expect(() => text(runbook ?? ''), alert).not.toThrow();
    }
  });

  it('cover the index, the engines and the API as well as the queue', () => {
    const watched = new Set(rules.flatMap(({ expr }) => metricsIn(expr)));
    for (const name of [
      'registry_index_lag_changes',
      'registry_engine_faults_total',
      'registry_http_requests_total',
      'registry_due_oldest_seconds',
      'registry_queue_jobs',
    ])
      expect(watched).toContain(name);
  });
});

function labelsIn(cell: string): string[] {
  const [names = ''] = [cell.replace(/`?: .*?(?=, `|; `|$)/g, '`')];
  return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
}

/** Metrics and labels of an expression that nothing exposes. */
function unknownIn(expr: string): string[] {
  const metrics = metricsIn(expr);
  const known = new Set([...OUTSIDE_LABELS, ...metrics.flatMap((name) => EXPOSED.get(name) ?? [])]);
  const selectors = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) => [
    ...inside.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g),
  ]);
  const groupings = [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, inside = '']) => [...inside.matchAll(/([a-z_]+)/g)],
  );
  const labels = [...selectors, ...groupings].map(([, label = '']) => label);
  return [...metrics.filter((name) => !EXPOSED.has(name)), ...labels.filter((label) => !known.has(label))];
}

/** The metrics of an expression, a histogram by its own name. */
function metricsIn(expr: string): string[] {
  const names = [...expr.matchAll(/\b(?:registry|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
  return names.map((name) => {
    const whole = name.replace(/_(?:bucket|sum|count)$/, '');
    return HISTOGRAMS.has(whole) ? whole : name;
  });
}
