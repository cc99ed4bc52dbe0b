import { declareFile, readFile } from '../src/discovery/declare-file.ts';
import { fetchBrand } from '../src/discovery/fetch-brand.ts';
import type { FileTask } from '../src/discovery/fetched-file.ts';

import { definePipeline } from '../src/pipeline/define.ts';
import type { FileRun } from './crawl-context.ts';

/** A brand's or house's brand.json: fetched, read, and turned into what it declares and when to come back. */
export const brands = definePipeline<FileTask, FileRun>('brands')
  .stage('fetch', async (task) => [await fetchBrand(task)])
  .stage('read', (fetched) => [readFile(fetched)])
  .stage('declare', (file, run) => [declareFile(file, run.lease)]);
