import { describe, expect, it } from 'vitest';
import type { BundleLibrary, LocalBundle } from '../../src/compliance/bundles/library.ts';
import type { BundleStage } from '../../src/domain/bundle.ts';
import { RegistryError } from '../../src/errors.ts';
import { declaring } from '../compliance/support/judged-runs.ts';
import { inGroup, storyboard } from '../compliance/support/runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, SELLER, testedIn } from './support/tested-agent.ts';

const OPERATOR = { kind: 'operator' } as const;
const APPLICABLE = `/api/registry/agents/${encodeURIComponent(AGENT)}/applicable-storyboards`;

/** A bundle with one storyboard for every agent. */
function bundle(version: string, digest: string, title: string): LocalBundle {
  const board = storyboard(`
id: hello
title: ${title}
track: core
phases:
  - id: only
    title: Only
    steps:
      - id: tools
        title: Tools
        task: get_products
        sample_request: { brief: kayaks }
`);
  return {
    ...inGroup({ kind: 'universal' }, board),
    ...{ version, line: version.slice(0, 3), vocabulary: 'proto' },
    ...{ wholeDigest: digest, isEmbedded: version === '3.0.0' },
  };
}

const LOCAL = [
  bundle('3.0.0', 'sha256:0', 'Hello of 3.0.0'),
  bundle('3.0.26', 'sha256:a', 'Hello of 3.0.26'),
  bundle('3.1.2', 'sha256:b', 'Hello of 3.1.2'),
];

/** A registry in which these versions are installed; its machine has the bundles of `local`, which tests change. */
async function registry(stages: Readonly<Record<string, BundleStage>>, local = [...LOCAL]) {
  const library: BundleLibrary = {
    async open(version) {
      const found = local.find((one) => one.version === version);
      if (found === undefined) throw new RegistryError('bundle_unavailable', `no bundle ${version}`);
      return found;
    },
  };
  const opened = await openRegistry([bareDocument(AGENT)], { complianceTarget: '3.0' }, { library });
  const { bundles } = opened.records;
  for (const [version, stage] of Object.entries(stages)) {
    const digest = LOCAL.find((one) => one.version === version)?.wholeDigest ?? 'sha256:none';
    const aliases = version === '3.0.26' ? ['stable'] : [];
    const line = version.slice(0, 3);
    await bundles.add({ version, line, vocabulary: 'proto', digest, aliases }, OPERATOR, PROBED_AT);
    await bundles.setStage(version, stage, OPERATOR, PROBED_AT);
  }
  return { ...opened, local };
}

describe('the storyboards of installed bundles', () => {
  it.each([
    ['', '3.0.26', '3.0'],
    ['?compliance_target=3.0.26', '3.0.26', '3.0.26'],
    ['?compliance_target=stable', '3.0.26', 'stable'],
    ['?compliance_target=v3.1', '3.1.2', '3.1'],
    ['?compliance_target=latest', '3.1.2', 'latest'],
    ['?compliance_target=3.0.0', '3.0.0', '3.0.0'],
  ])('are listed for GET /api/storyboards%s', async (query, version, target) => {
    const { get } = await registry({ '3.0.26': 'default', '3.1.2': 'default' });
    const answer = await get(`/api/storyboards${query}`);
    const document = (await get('/openapi.json')).json() as OpenApi;
    expect(breaches(document, '/api/storyboards', answer)).toEqual([]);
    expect(answer.json()).toMatchObject({
      ...{ adcp_version: version, requested_compliance_target: target },
      storyboards: [{ id: 'hello', title: `Hello of ${version}` }],
    });
    expect((await get(`/api/storyboards/hello${query}`)).json().storyboard.title).toBe(`Hello of ${version}`);
  });

  it('name every label in the error for an unknown one', async () => {
    const { get } = await registry({ '3.0.26': 'default', '3.1.2': 'preview' });
    const { code, valid_values: values } = (await get('/api/storyboards?compliance_target=4.0')).json();
    expect(code).toBe('invalid_value');
    expect(values.toSorted()).toEqual(
      ['3', '3.0', '3.0.0', '3.0.26', '3.1', '3.1.2', 'latest', 'stable'].toSorted(),
    );
  });

  it('are those of the new files once a bundle was replaced by another one of its version', async () => {
    const { get, records, local } = await registry({ '3.1.2': 'preview' });
    const title = async () =>
      (await get('/api/storyboards/hello?compliance_target=3.1.2')).json().storyboard.title;
    expect(await title()).toBe('Hello of 3.1.2');
    await records.bundles.remove('3.1.2', OPERATOR, PROBED_AT);
    const again = { version: '3.1.2', line: '3.1', vocabulary: 'proto', aliases: [] } as const;
    await records.bundles.add({ ...again, digest: 'sha256:c' }, OPERATOR, PROBED_AT);
    local.splice(2, 1, bundle('3.1.2', 'sha256:c', 'Hello again'));
    expect(await title()).toBe('Hello again');
  });

  it('are unavailable where this machine has not the files that were installed', async () => {
    const { get } = await registry({ '3.1.2': 'default', '3.2.0': 'default' });
    const answer = await get('/api/storyboards?compliance_target=3.2.0');
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'unavailable']);
    expect((await get('/api/storyboards')).statusCode).toBe(200);
    expect((await get('/status')).statusCode).toBe(200);
  });

  it('have pages for each bundle, which link to each other', async () => {
    const { get } = await registry({ '3.0.26': 'default', '3.1.2': 'default' });
    const list = (await get('/storyboards')).body;
    expect(list).toContain('<a href="/storyboards?compliance_target=3.1.2">Bundle 3.1.2</a>');
    expect(list).toContain(
      '<a href="/storyboards?compliance_target=3.0.26" aria-current="page">Bundle 3.0.26</a>',
    );
    expect(list).toContain('<a href="/storyboards/hello">');
    const other = (await get('/storyboards?compliance_target=3.1')).body;
    expect(other).toContain('Hello of 3.1.2');
    expect(other).toContain('<a href="/storyboards/hello?compliance_target=3.1">');
    const one = (await get('/storyboards/hello?compliance_target=3.1')).body;
    expect(one).toContain('bundle <bdi>3.1.2</bdi>');
    expect(one).toContain('<a href="/storyboards/hello?compliance_target=3.0.0">Bundle 3.0.0</a>');
    expect((await get('/storyboards?compliance_target=9')).statusCode).toBe(400);
    const unknown = await get('/storyboards/hullo?compliance_target=3.1');
    expect(unknown.statusCode).toBe(404);
    expect(unknown.body).toContain('<a href="/storyboards/hello?compliance_target=3.1">hello</a>');
  });

  it('have no links between bundles where there is one', async () => {
    const { get } = await registry({});
    expect((await get('/storyboards')).body).not.toContain('aria-label="Bundles"');
  });
});

describe('the storyboards that apply to an agent', () => {
  const applicable = async ({ get }: Awaited<ReturnType<typeof registry>>) => (await get(APPLICABLE)).json();

  it('are of the bundle that it is tested with, by what it declares', async () => {
    const world = await registry({ '3.0.26': 'default', '3.1.2': 'default' });
    const { records } = world;
    await testedIn(world);
    expect(await applicable(world)).toMatchObject({ adcp_version: '3.0.26' });
    const agent = { ...declaring('sales-guaranteed'), supported_versions: ['3.1', '3.0'] };
    await keepRun(records, PROBED_AT, { ...SELLER, agent }, { agent: AGENT });
    expect(await applicable(world)).toMatchObject({
      ...{ adcp_version: '3.1.2', requested_compliance_target: '3.1' },
      bundles: [{ storyboards: [{ title: 'Hello of 3.1.2' }] }],
    });
  });
});

describe('the public report of a run', () => {
  it('links to the storyboards of its own bundle', async () => {
    const world = await registry({ '3.0.26': 'default', '3.1.2': 'default' });
    const hello = { ...SELLER.storyboards?.[0], storyboard_id: 'hello', title: 'Hello' };
    const run = { ...SELLER, storyboards: [hello], proto_version: '3.1.2' } as typeof SELLER;
    await testedIn(world, [run]);
    const { body } = await world.get(`/runs/${encodeURIComponent(AGENT)}/run-${PROBED_AT}`);
    expect(body).toContain('<a href="/storyboards/hello?compliance_target=3.1.2">');
  });
});
