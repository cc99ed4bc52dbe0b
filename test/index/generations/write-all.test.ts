import { describe, expect, it } from 'vitest';
import { RegistryError } from '../../../src/errors.ts';
import { writeAll } from '../../../src/index/generations/batches.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';

const DOCUMENTS = [{ agent: 'https://a.example/', version: 1 }];

async function toldOf(error: Error): Promise<readonly string[]> {
  const generations = { write: () => Promise.reject(error) } as unknown as AgentIndex['generations'];
  const told: string[] = [];
  await writeAll({ generations } as AgentIndex, 1, DOCUMENTS, ({ message }) => told.push(message));
  return told;
}

describe('documents that are written into the index', () => {
  it('and that it will never take are told, and the work goes on', async () => {
    expect(await toldOf(new RegistryError('index_refused', 'refused a.example'))).toEqual([
      'refused a.example',
    ]);
  });

  it('end the work with any other failure: it is tried again', async () => {
    await expect(toldOf(new RegistryError('index_unavailable', 'away'))).rejects.toMatchObject({
      code: 'index_unavailable',
    });
  });
});
