import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import type { CheckFlags } from '../../src/cli/commands/check/flags.ts';
import { junitReport } from '../../src/cli/commands/check/junit.ts';
import { markdownReport } from '../../src/cli/commands/check/markdown.ts';
import { textLines } from '../../src/cli/commands/check/text.ts';
import { plainText } from '../../src/cli/output/print.ts';
import { totalsOf } from '../../src/compliance/run/report.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { verdictOf } from '../../src/compliance/verdict/verdict.ts';
import { board, run as finishedRun, MOSTLY_SKIPPED, START } from './support/judged-runs.ts';

const FLAGS: CheckFlags = {
  ...{
    only: [],
    track: [],
    as: 'https://desk.example/agent',
    brand: 'tidewater-kayaks.example',
  },
  ...{ timeout: 30, deadline: 600, progress: 'none', webhookPort: 0, connectTo: [], keys: './keys' },
};
const HOSTILE = '[x](https://evil.example) <img src=x> `` @admin ]]> | \u0007\u001b[2J\ufffe';

function step(id: string, task: string, more: Partial<StepResult> = {}): StepResult {
  return {
    ...{ storyboard_id: 'reporting', phase_id: 'delivery', step_id: id, title: `Step ${id}`, task },
    ...{ result: 'pass', duration_ms: 100, checks: [], ...more },
  };
}

function failed(id: string, task: string, message: string, more: Partial<StepResult> = {}): StepResult {
  const checks = [{ check: 'expect_success', result: 'fail', message } as const];
  return step(id, task, { result: 'fail', checks, ...more });
}

const html = (status: number, more: Partial<StepResult> = {}): Partial<StepResult> => ({
  no_answer: { error_class: 'http_error', http_status: status, content_type: 'text/html' },
  ...more,
});

function report(more: Partial<ComplianceRun>, flags: Partial<CheckFlags> = {}) {
  const steps = more.steps ?? [];
  const failures = steps.filter(({ result }) => result === 'fail').length;
  const storyboards = more.storyboards ?? [
    board('reporting', 'reporting', failures > 0 ? 'fail' : 'pass', { steps_failed: failures }),
  ];
  const totals = totalsOf({ storyboards, steps });
  const run = finishedRun(START, { storyboards, totals, ...more });
  return { run, verdict: verdictOf(run), flags: { ...FLAGS, ...flags } };
}

function text(more: Partial<ComplianceRun>, flags?: Partial<CheckFlags>): string {
  return plainText(textLines(report(more, flags)));
}

describe('the report of a check', () => {
  it('begins, after the status, with the tasks without a valid answer: what was received, and after how long', () => {
    const shown = text({
      steps: [
        failed('a', 'get_products', '/products/0/price must be number'),
        failed('b', 'get_media_buy_delivery', 'no answer', html(500)),
        failed('c', 'get_media_buy_delivery', 'no answer', html(500)),
        failed('d', 'get_media_buy_delivery', 'no answer', html(503)),
        failed('e', 'sync_creatives', 'no answer', {
          no_answer: { error_class: 'timeout' },
          duration_ms: 30_004,
        }),
      ],
    });
    expect(shown.split('\n').filter((line) => /✗|No valid|reasons?:$/.test(line))).toEqual([
      'No valid answer in 4 steps:',
      '  ✗ get_media_buy_delivery: HTTP 500 text/html after 0.1 s (2 steps)',
      '  ✗ get_media_buy_delivery: HTTP 503 text/html after 0.1 s (1 step)',
      '  ✗ sync_creatives: no answer within 30 s (1 step)',
      '1 step failed, for 1 reason:',
      '  ✗ get_products: /products/0/price must be number (1 step)'.replace('/0/', '/*/'),
      '  ✗ reporting  1 fail',
    ]);
  });

  it('shows the documentation of a failed step and the command that repeats exactly it', () => {
    const more = { doc_ref: '/media-buy/get_products', independent: true } as const;
    const shown = text({ steps: [failed('a', 'get_products', 'the agent refused', more)] });
    expect(shown).toContain('      docs: /media-buy/get_products\n');
    expect(shown).toContain(
      '      repeat: agent-registry check https://agent.example/mcp \\\n        --step reporting/delivery/a\n',
    );
  });

  it('keeps refusals of two codes apart, and quotes the agent once for each', () => {
    const refused = (id: string, code: string, message: string) => {
      const check = { check: 'expect_success', result: 'fail', message: 'the agent refused' } as const;
      return step(id, 'get_products', { result: 'fail', checks: [{ ...check, actual: { code, message } }] });
    };
    const shown = text({
      steps: [
        refused('a', 'SOLD_OUT', 'nothing left'),
        refused('b', 'CLOSED', 'come back later'),
        refused('c', 'SOLD_OUT', 'nothing'),
      ],
    });
    expect(shown).toContain('3 steps failed, for 2 reasons:');
    expect(shown).toContain('✗ get_products: the agent refused: SOLD_OUT (2 steps)');
    expect(shown).toContain('message of the agent: “nothing left”');
    expect(shown).toContain('message of the agent: “come back later”');
  });

  it('shows a storyboard as incomplete if most of its steps were skipped, although it counts as passing', () => {
    const skipped = { storyboard_id: 'buy', result: 'skipped', skip_reason: 'missing_tool' } as const;
    const more = {
      ...MOSTLY_SKIPPED,
      steps: [step('a', 'create_media_buy', { ...skipped, skip_detail: 'missing tools: create_media_buy' })],
    };
    const state = 'incomplete (1 passed, 8 skipped), counts as passing';
    const shown = text(more);
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(`◐ buy: ${state}: missing tools: create_media_buy`);
    expect(shown).toContain('◐ media_buy  1 incomplete');
    expect(text(more, { verbose: true })).toMatch(/◐ {2}buy /);
    const markdown = markdownReport(report(more));
    expect(markdown).toContain(`\`buy\`: ${state}: `);
    expect(markdown).toContain('| ⚠️ | `buy` |');
  });

  it('begins with the refusal that blocked the rest, and the flags that help', () => {
    const blocked_by = {
      ...{ step: 'buy/setup/accounts', task: 'sync_accounts', code: 'BRAND_UNKNOWN', steps_skipped: 46 },
      message: 'no such brand\u001b[2J',
    };
    const shown = text({ blocked_by, steps: [failed('a', 'sync_accounts', 'the agent refused')] });
    expect(shown.replaceAll(/\n +/g, ' ')).toContain(
      'Blocked: sync_accounts was refused (BRAND_UNKNOWN) in buy/setup/accounts; 46 later steps could not run message of the agent: “no such brand\\u001b[2J”',
    );
    for (const flag of ['--brand', '--operator', '--auth-env', '--sign']) expect(shown).toContain(flag);
    expect(shown.indexOf('Blocked:')).toBeLessThan(shown.indexOf('1 step failed'));
  });

  it('says of an inconclusive run which request could not be read, and what to do', () => {
    const shown = text({
      ...{ outcome: 'inconclusive', agent: null, storyboards: [] },
      inconclusive: { reason: 'declaration_unread', detail: 'tools/list could not be read (HTTP 429)' },
      unread: {
        ...{ request: 'tools/list', error_class: 'http_error', http_status: 429 },
        ...{
          content_type: 'text/plain',
          message: 'answered http status 429',
          words: 'slow down',
          retried: true,
        },
      },
    });
    expect(shown).toContain(
      '  tools/list: HTTP 429 text/plain, and again after a retry\n  message of the agent: “slow down”\n',
    );
    expect(shown).toContain('what to do: see the answers of the agent with agent-registry probe');
  });

  it('names the signing key where that is missing, and no credential', () => {
    const inconclusive = {
      ...({ reason: 'auth_required', lacks: 'signing_key' } as const),
      detail: 'the agent requires signed requests, and the run had no signing key',
    };
    const shown = text({ outcome: 'inconclusive', inconclusive }, { authEnv: 'TOKEN' });
    expect(shown).toContain('--sign KEY');
    expect(shown).not.toMatch(/credentials|--auth-env/);
  });

  it('shows slow calls with their seconds, those of steps that passed too', () => {
    const slow = [
      step('a', 'get_products', { duration_ms: 20_100 }),
      step('b', 'get_products', { duration_ms: 6_000 }),
    ];
    expect(text({ steps: slow })).toContain('Slow: get_products took up to 20.1 s (2 calls)\n');
    expect(text({ steps: slow.slice(0, 1) })).toContain('Slow: get_products took 20.1 s (1 call)\n');
    expect(text({ steps: [step('a', 'get_products', { duration_ms: 4_999 })] })).not.toContain('Slow');
  });

  it('shows incomplete storyboards with their counts and the first reason', () => {
    const skip = (id: string, skip_detail: string) =>
      step(id, 'get_products', {
        result: 'skipped',
        skip_reason: 'missing_tool',
        skip_detail,
        coverage_gap: true,
      });
    const steps = [skip('a', 'no tool x'), skip('b', 'builds on a')];
    const counts = { steps_passed: 2, steps_skipped: 15, coverage_gap: true };
    const shown = text({ storyboards: [board('reporting', 'reporting', 'incomplete', counts)], steps });
    expect(shown).toContain(
      'Incomplete: 1 storyboard\n  ◐ reporting: incomplete (2 passed, 15 skipped): no tool x\n',
    );
  });

  it('lists five limitations of the runner, and all of them with --verbose', () => {
    const limitations = Array.from({ length: 7 }, (_, n) => ({
      ...{ kind: 'check' as const, name: `check_${n}`, storyboards: ['a', 'b'] },
    }));
    const shown = text({ limitations });
    expect(shown.match(/check_\d/g)).toHaveLength(5);
    expect(shown).toContain('  … and 2 other parts: --verbose shows them');
    expect(text({ limitations }, { verbose: true }).match(/check_\d/g)).toHaveLength(7);
  });

  it('names fifteen causes, whatever their number, on less than two screens', () => {
    const steps = Array.from({ length: 200 }, (_, n) => failed(`s${n}`, 'get_products', `cause ${n % 40}`));
    const shown = text({ steps });
    expect(shown).toContain('200 steps failed, for 40 reasons:');
    expect(shown.match(/✗ get_products/g)).toHaveLength(15);
    expect(shown).toContain('… and 125 steps for 25 other reasons');
    expect(shown.split('\n').length).toBeLessThanOrEqual(60);
  });
});

describe('the JUnit report of a check', () => {
  it('has a suite for each storyboard and a case for each step, with the counts', () => {
    const steps = [
      step('a', 'get_products'),
      failed('b', 'get_products', 'no answer', html(500)),
      step('c', 'get_products', { result: 'skipped', skip_reason: 'missing_tool', skip_detail: 'no tool' }),
    ];
    const storyboards = [
      board('reporting', 'reporting', 'fail'),
      board('buy', 'media_buy', 'skipped', { skip_detail: 'no tool' }),
    ];
    const xml = junitReport(report({ steps, storyboards }));
    expect(xml).toContain('tests="4" failures="1" errors="0" skipped="2"');
    expect(xml.match(/<testsuite /g)).toHaveLength(2);
    expect(xml).toContain('<testcase name="a: Step a" classname="reporting.delivery" time="0.100"/>');
    expect(xml).toContain('<failure message="no answer" type="http_error">');
    expect(xml).toContain('<skipped message="missing_tool: no tool"/>');
  });

  it('is an error where the agent does not pass, though no step failed', () => {
    const xml = junitReport(
      report({
        outcome: 'unreachable',
        agent: null,
        storyboards: [],
        unreachable: { error_class: 'refused', message: 'no' },
      }),
    );
    expect(xml).toContain('tests="1" failures="0" errors="1" skipped="0"');
    expect(xml).toContain('type="refused"');
    expect(junitReport(report({}))).not.toContain('<error');
  });

  it('holds no text of a stranger that could end an element, and no character that XML forbids', () => {
    const xml = junitReport(report({ steps: [failed('b', HOSTILE, HOSTILE, { title: `"'&${HOSTILE}` })] }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe]|<img|]]>/);
    expect(xml).toContain('&quot;&apos;&amp;[x](https://evil.example) &lt;img src=x&gt;');
  });
});

describe('the Markdown report of a check', () => {
  it('shows status, storyboards and failures', () => {
    const markdown = markdownReport(report({ steps: [failed('b', 'get_products', 'no answer', html(500))] }));
    expect(markdown).toContain('## ❌ failing\n');
    expect(markdown).toContain('- `get_products`: `HTTP 500 text/html after 0.1 s` (1 step)\n');
    expect(markdown).toContain('| ❌ | `reporting` | `reporting` | 1 | 1 | 0 | 10 ms |\n');
    expect(markdown).toContain(
      '<details><summary><code>reporting/delivery/b (get_products)</code></summary>',
    );
  });

  it('holds texts of strangers in code only, where links, HTML and mentions have no effect', async () => {
    const actual = { code: 'X', message: HOSTILE };
    const checks = [{ check: 'expect_success', result: 'fail', message: HOSTILE, actual } as const];
    const markdown = markdownReport(
      report({ steps: [step('b', HOSTILE, { result: 'fail', checks, title: HOSTILE })] }),
    );
    const html = await marked.parse(markdown, { gfm: true });
    expect(html).not.toMatch(/<a |<img|<script/);
    expect(html).toContain('<code>[x](https://evil.example) &lt;img src=x&gt;');
  });
});
