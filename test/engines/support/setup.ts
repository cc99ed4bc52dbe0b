import { afterAll, vi } from 'vitest';
import { removeWhatWasMade } from './engines.ts';

// Registered first, so it runs last: the file's own hooks have closed their connections by then.
afterAll(async () => {
  vi.unstubAllEnvs();
  await removeWhatWasMade();
});
