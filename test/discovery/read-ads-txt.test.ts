import { expect, test } from 'vitest';
import { readAdsTxt } from '../../src/discovery/read-ads-txt.ts';

test.each([
  ['MANAGERDOMAIN=manager.example', 'manager.example'],
  ['managerdomain = Manager.Example', 'manager.example'],
  ['MANAGERDOMAIN=manager.example,US', 'manager.example'],
  ['MANAGERDOMAIN=manager.example # our partner', 'manager.example'],
  ['\uFEFFMANAGERDOMAIN=manager.example\r\n', 'manager.example'],
  ['MANAGERDOMAIN=first.example\nMANAGERDOMAIN=last.example', 'last.example'],
  ['MANAGERDOMAIN=keep.example\nMANAGERDOMAIN=skip.example #noagents', 'keep.example'],
  ['MANAGERDOMAIN=skip.example # NoAgents', undefined],
  ['MANAGERDOMAIN=skip.example # display only, noagents', undefined],
  ['MANAGERDOMAIN=skip.example # see us for NOAGENTS; display only', undefined],
  ['MANAGERDOMAIN=skip.example,US #ours#noagents', undefined],
  ['MANAGERDOMAIN=skip.example;noagents', undefined],
  [`MANAGERDOMAIN=skip.example # ${'x'.repeat(5_000)} noagents`, undefined],
  ['MANAGERDOMAIN=both.example\nMANAGERDOMAIN=both.example, DE # noagents', undefined],
  ['MANAGERDOMAIN=both.example # noagents\nMANAGERDOMAIN=Both.Example', undefined],
  ['# noagents\nMANAGERDOMAIN=keep.example\n# noagents', 'keep.example'],
  ['MANAGERDOMAIN=keep.example # ask nonoagents or noagentsplease', 'keep.example'],
  ['MANAGERDOMAIN=noagents.example', 'noagents.example'],
  ['MANAGERDOMAIN=keep.example\nMANAGERDOMAIN=two words.example', 'keep.example'],
  ['MANAGERDOMAIN=keep.example\nMANAGERDOMAIN=https://x.example/', 'keep.example'],
  ['MANAGERDOMAIN=10.0.0.1', undefined],
  ['MANAGERDOMAIN=', undefined],
  ['# MANAGERDOMAIN=manager.example', undefined],
  ['OWNERDOMAIN=owner.example\nads.example, 1, DIRECT', undefined],
  ['', undefined],
])('%j names %s', (text, manager) => {
  const read = readAdsTxt(text);
  expect('manager' in read ? read.manager : undefined).toBe(manager);
});

test.each([
  ['<!doctype html><html><body>\nMANAGERDOMAIN=manager.example\n</body></html>', 'page'],
  ['\n\n  <app-root></app-root>\nMANAGERDOMAIN=manager.example', 'page'],
  ['Not found<br>\nMANAGERDOMAIN=manager.example', 'page'],
  ['MANAGERDOMAIN=manager.example\n<SCRIPT src="a.js"></SCRIPT>', 'page'],
  ['\uFEFF<?xml version="1.0"?>\nMANAGERDOMAIN=manager.example', 'page'],
  ['MANAGERDOMAIN=manager.example # noagents', 'opted_out'],
  ['ads.example, 1, DIRECT', 'none'],
])('%j names nobody: %s', (text, without) => expect(readAdsTxt(text)).toEqual({ without }));

test('an ads.txt with a placeholder or a tag in a comment is no page', () => {
  const text = 'ads.example, <pub-id>, DIRECT\n# see <html> pages\nMANAGERDOMAIN=manager.example';
  expect(readAdsTxt(text)).toMatchObject({ manager: 'manager.example' });
});
