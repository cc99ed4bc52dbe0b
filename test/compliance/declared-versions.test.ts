import { expect, test } from 'vitest';
import { answered, OPEN, runAt, startAgent, withPhases } from './support/runs.ts';

const BOARD = withPhases('  - {id: p, steps: [{id: s, task: get_products}]}');
const NOTICE = {
  ...{ code: 'version_not_declared', severity: 'warning' },
  message: 'the agent does not declare 3.0; tested with 3.0.0',
};

// what the agent declares, what the run records, whether it notes that 3.0.0 is not among it
test.each<[object, readonly string[], boolean]>([
  [{ proto: { supported_versions: ['3.1-beta', '3.0.0-rc.2'] } }, ['3.1-beta', '3.0.0-rc.2'], false],
  [{ proto: { supported_versions: ['3.0-beta'] } }, ['3.0-beta'], false],
  [{ proto: { supported_versions: ['v3.0'] } }, ['v3.0'], false],
  [{ adcp_version: '3.0.6', adcp: { major_versions: [3] } }, ['3.0.6'], false],
  [{ adcp: { major_versions: [3] } }, ['3'], false],
  [{ proto: {} }, [], false],
  [{ proto: { supported_versions: ['3.1-beta'] } }, ['3.1-beta'], true],
  [{ proto_version: '3.1-beta' }, ['3.1-beta'], true],
  [{ adcp: { major_versions: [2] } }, ['2'], true],
])('a run of 3.0.0 reads the versions of %j', async (declared, versions, isNoted) => {
  const { proto: _proto, proto_version: _version, ...rest } = OPEN as Record<string, unknown>;
  const { url } = await startAgent({
    capabilities: { ...rest, ...declared },
    answer: () => answered({ products: [] }),
  });
  const run = await runAt(url, [BOARD]);
  expect(run.agent?.supported_versions).toEqual(versions);
  expect(run.notices.filter(({ code }) => code === 'version_not_declared')).toEqual(isNoted ? [NOTICE] : []);
});
