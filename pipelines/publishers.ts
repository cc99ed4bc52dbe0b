import { declareFile, readFile } from '../src/discovery/declare-file.ts';
import { fetchAdagents } from '../src/discovery/fetch-adagents.ts';
import type { FileTask } from '../src/discovery/fetched-file.ts';

import { definePipeline } from '../src/pipeline/define.ts';
import type { FileRun } from './crawl-context.ts';

/** A publisher's adagents.json: fetched, read, and turned into what it declares and when to come back. */
export const publishers = definePipeline<FileTask, FileRun>('publishers')
  .stage('fetch', async (task) => [await fetchAdagents(task)])
  .stage('read', (fetched) => [readFile(fetched)])
  .stage('declare', (file, run) => [declareFile(file, run.lease)]);
